/** The account, in Italian. */
export const account = {
  // account
  'acc.title': 'Il tuo conto',
  'acc.since': 'Con noi dal {date}',
  'acc.last': 'Ultimo accesso: {date}',
  'acc.first': 'Primo accesso',
  'acc.guest-text':
    'Sei ospite: il conto vive in questo browser. Dagli un nome e una parola d’ordine per ritrovarlo ovunque.',
  'acc.sessions': 'Sessioni aperte',
  'acc.current': 'questa',
  'acc.seen': 'vista {date}',
  'acc.end': 'Chiudi',
  'acc.end-label': 'Chiudi la sessione da {address}',
  'acc.end-all': 'Esci da ogni dispositivo',
  'acc.ended': 'Sessione chiusa.',
  'acc.password': 'Parola d’ordine',
  'acc.old': 'Parola d’ordine attuale',
  'acc.new': 'Nuova parola d’ordine',
  'acc.change': 'Cambia',
  'acc.changed': 'Parola d’ordine cambiata. Le altre sessioni sono chiuse.',
  'acc.factor': 'Secondo fattore',
  'acc.factor-on': 'Attivo: all’ingresso si chiede anche un codice.',
  'acc.factor-off': 'Spento. Con un’app di autenticazione il conto è molto più sicuro.',
  'acc.factor-go': 'Attiva',
  'acc.factor-picture': 'Codice QR con la chiave del secondo fattore',
  'acc.factor-scan':
    'Inquadra il codice con un’app di codici (per esempio quella del telefono), poi scrivi qui il primo codice che ' +
    'mostra.',
  'acc.factor-hand':
    'Senza fotocamera: scrivi la chiave nell’app a mano, oppure apri il collegamento su questo dispositivo.',
  'acc.factor-lost':
    'Al posto di un codice dell’app vale uno di questi, una volta sola ciascuno: se perdi il telefono entri con ' +
    'uno, togli il secondo fattore e lo attivi di nuovo. Se perdi anche questi, nessuno può aprire il conto al tuo ' +
    'posto.',
  'acc.factor-copy': 'Copia i codici',
  'acc.factor-copied': 'Copiati.',
  'acc.factor-on-lost': 'Telefono perso? Un codice di recupero vale come un codice dell’app.',
  'acc.factor-cancel': 'Lascia stare',
  'acc.factor-link': 'Apri nell’app',
  'acc.factor-code': 'Codice che l’app mostra',
  'acc.factor-confirm': 'Conferma',
  'acc.factor-recovery': 'Codici di recupero: si mostrano solo ora, ognuno apre una volta.',
  'acc.factor-kept': 'Li ho messi al sicuro',
  'acc.factor-remove': 'Togli il secondo fattore',
  'acc.factor-removed': 'Secondo fattore tolto.',
  'acc.code-needs': 'Scrivi il codice',
  'acc.password-needs': 'Scrivi le due parole d’ordine',
  'acc.only-holders': 'Prima tieni il tuo conto: un ospite non ha parola d’ordine',
} as const;
