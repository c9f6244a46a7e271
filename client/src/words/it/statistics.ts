import { join } from '../join';

/** The statistics and the review of decisions, in Italian. */
export const statistics = {
  // statistics
  'stat.title': 'Statistiche',
  'stat.text': 'I tuoi numeri, ricavati dalle mani finite. Le annullate sono a parte.',
  'stat.rounds': 'Mani',
  'stat.staked': 'Puntato',
  'stat.returned': 'Incassato',
  'stat.net': 'Risultato',
  'stat.won': 'Vinte',
  'stat.lost': 'Perse',
  'stat.even': 'Pari',
  'stat.best': 'Migliore',
  'stat.worst': 'Peggiore',
  'stat.share': 'Ritorno',
  'stat.streak': 'In fila ora',
  'stat.longest-won': 'Più vinte in fila',
  'stat.longest-lost': 'Più perse in fila',
  'stat.by-game': 'Per gioco',
  'stat.plot': 'Risultato nel tempo',
  'stat.plot-text': 'Somma delle ultime {count} mani, da {first} a {last}.',
  'stat.none': 'Ancora nessuna mano finita: gioca, e i numeri arrivano.',
  'stat.streak-won': 'vinte: {count}',
  'stat.streak-lost': 'perse: {count}',
  'stat.streak-none': 'nessuna',
  'stat.round': 'Mano',
  'stat.expected': 'atteso {percent}',
  'stat.voided': 'Annullate',
  // decisions looked back on
  'best.title': 'Contro il gioco migliore',
  'best.text': join(
    'Nelle ultime {rounds} mani hai deciso al meglio {right} volte su {all}.',
    'Le altre costano in tutto {amount} attesi, qualunque carta sia uscita.',
  ),
  'best.chosen': 'Hai scelto',
  'best.best': 'Migliore',
  'best.cost': 'Costo atteso',
} as const;
