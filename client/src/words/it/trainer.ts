/** The trainer, in Italian. */
export const trainer = {
  // the trainer
  'train.title': 'Maestro',
  'train.best': 'La migliore: {action}',
  'train.values': 'Quanto vale ogni scelta, in puntate',
  'train.unknown': 'non valutata',
  'train.right': '{action}: la scelta migliore.',
  'train.wrong': '{action} invece di {best}: costa {cost} puntate, {amount} attesi.',
  'train.session': 'Decisioni {right} su {all}, costo atteso {amount}',
  'train.none': 'Nessuna decisione, per ora',
  'train.reset': 'Azzera',
  'train.wait': 'Si calcola…',
  'train.silent': 'Il maestro tace: {reason}',
  'train.base': 'Valori esatti sulle carte viste dopo la mescolata',
} as const;
