/** The room around the tables, in Italian. */
export const room = {
  'house.name': 'Ventuno', 'house.language': 'Lingua', 'house.language.it': 'Italiano', 'house.language.en': 'English', 'house.parts': 'I pezzi', 'house.unsafe': 'Casa di prova: nulla qui è protetto',
  'house.responsible': 'Gioca responsabile', 'house.notice': 'Gioco con denaro virtuale. Il gioco è riservato ai maggiorenni e può causare dipendenza.',
  'ids.session': 'ID sessione', 'ids.participation': 'ID partecipazione', 'ids.code': 'Codice gioco', 'ids.clock': 'Sessione', 'ids.session-short': 'Sess.', 'ids.participation-short': 'Part.', 'ids.code-short': 'Gioco', 'ids.clock-short': 'Durata',
  'tool.tools': 'Strumenti', 'tool.chat': 'Chat', 'tool.history': 'Storico', 'tool.settings': 'Impostazioni', 'tool.audio': 'Audio', 'tool.audio-off': 'Audio spento', 'tool.focus': 'Modalità concentrazione', 'tool.full': 'Schermo intero',
  'tool.help': 'Aiuto', 'tool.lobby': 'Lobby', 'tool.cashier': 'Cassa', 'tool.menu': 'Menu', 'tool.back': 'Torna alla lobby', 'tool.close': 'Chiudi', 'tool.news': 'novità',
  'lobby.seats': '{taken} di {count} posti', 'lobby.full': 'Completo', 'lobby.add': 'Tavolo', 'lobby.add-label': 'Aggiungi il tavolo {name}', 'lobby.watch': 'Guarda', 'lobby.watch-label': 'Guarda il tavolo {name}', 'lobby.enter': 'Entra al tavolo {name}',
  'lobby.pace': '{seconds} s per puntare', 'lobby.hot': 'un giocatore ha vinto {count} mani di fila', 'lobby.return': 'Ritorno {percent}', 'lobby.practice': 'prova', 'lobby.closing': 'in chiusura', 'lobby.yours': 'ci siedi tu',
  'toasts.label': 'Avvisi', 'toasts.close': 'Chiudi l’avviso', 'dialog.close': 'Chiudi', 'menu.label': 'Menu', 'list.more': 'Altro', 'switch.on': 'acceso', 'switch.off': 'spento', 'percent': '{value} %',
  // every state has a face
  'face.loading': 'Un momento, prego', 'face.loading.text': 'Il tavolo arriva.',
  'face.empty': 'Nessuno al tavolo', 'face.empty.text': 'Siediti per primo: il banco ti aspetta.', 'face.empty.act': 'Siediti',
  'face.reconnecting': 'Ti stiamo riportando al tavolo', 'face.reconnecting.text': 'Vedi l’ultimo stato noto. Le tue puntate restano valide e le tue scelte prenotate valgono.', 'face.reconnecting.act': 'Riprova ora',
  'face.paused': 'Tavolo in pausa', 'face.paused.text': 'L’ispettore esamina la mano. Carte, puntate e tempo restano come sono.',
  'face.voided': 'Mano annullata', 'face.voided.text': 'Tutte le poste sono tornate: principali, laterali, dietro, raddoppi e assicurazioni.', 'face.voided.act': 'Vedi il conto',
  'face.funds': 'Il saldo non copre il minimo', 'face.funds.text': 'Porta altro denaro al tavolo, oppure resta a guardare.', 'face.funds.act': 'Porta denaro',
  'face.limit': 'Limite raggiunto', 'face.limit.text': 'Hai raggiunto un limite che ti sei dato. Vale fino alla scadenza, anche altrove nella casa.', 'face.limit.act': 'I miei limiti',
  'face.time': 'Tempo di sessione finito', 'face.time.text': 'La mano aperta si è conclusa. Il risultato è nello storico.', 'face.time.act': 'Torna alla sala',
  'face.excluded': 'Sei escluso dal gioco', 'face.excluded.text': 'La tua esclusione è in corso. Puoi leggere lo storico e chiedere aiuto, non giocare.', 'face.excluded.act': 'Chi può aiutare',
  'face.gone': 'La casa non risponde', 'face.gone.text': 'Riproviamo da soli. Nulla va perso: ogni puntata accettata è scritta.', 'face.gone.act': 'Riprova ora',
  'face.elsewhere': 'Giochi da un altro dispositivo', 'face.elsewhere.text': 'Questo tavolo è aperto altrove con il tuo nome.', 'face.elsewhere.act': 'Torna qui',
  'face.closing': 'La casa chiude per poco', 'face.closing.text': 'I tavoli sono in pausa e riprendono dallo stesso punto.',
  // the dealer's voice
  'voice.bets': 'Puntate, prego.', 'voice.no-more': 'Niente più puntate.', 'voice.your-turn': 'Box {box}, {total}.', 'voice.dealer': 'Banco, {total}.', 'voice.bust': '{total}, sballa.', 'voice.dealer-bust': 'Il banco sballa.',
  'voice.blackjack': 'Blackjack.', 'voice.insurance': 'Assicurazione?', 'voice.win': 'Box {box} vince.', 'voice.lose': 'Box {box} perde.', 'voice.push': 'Box {box}, pari.', 'voice.shuffle': 'Si mescola.', 'voice.or': '{low} o {high}',
  // the table in words
  'words.title': 'Il tavolo in parole', 'words.phase': 'Fase', 'words.dealer': 'Il banco ha {cards}, totale {total}.', 'words.dealer-down': 'Il banco ha {cards}.', 'words.community': 'Carte comuni: {cards}.', 'words.dealer-none': 'Il banco non ha carte.', 'words.hidden.one': 'una coperta', 'words.hidden.other': '{count} coperte',
  'words.box-free': 'Box {box}: libero.', 'words.box': 'Box {box}, {name}: {state}.', 'words.hand': '{cards}, totale {total}', 'words.ended': '{outcome}', 'words.stake': 'posta {amount}', 'words.no-hand': 'nessuna carta', 'words.turn': 'tocca a {name}', 'words.turn-you': 'tocca a te',
  'words.side': '{bet} {amount}', 'words.mine': 'Saldo {balance}, puntata {staked}.', 'words.may': 'Puoi: {actions}.', 'words.may-spin': 'Bonus al box {box}. Puoi: Gira.', 'words.may-none': 'Ora non c’è nulla da decidere.', 'words.why-not': '{action} non si può: {reason}', 'words.and': 'e', 'words.shoe': 'Nel sabot restano {left} carte.',
  'say.bonus': 'Bonus al box {box}: gira.', 'say.turn': 'Tocca a te, box {box}: {total}. {options}', 'say.card': 'Box {box}: {card}, totale {total}.', 'say.dealer-card': 'Banco: {card}, totale {total}.', 'say.deal': 'Carte in tavola. Il banco mostra {card}.', 'say.own': 'Il tuo box {box}: {cards}, totale {total}.',
  'say.bets-open': 'Puntate, prego.', 'say.bets-closed': 'Niente più puntate.', 'say.insurance': 'Il banco ha un asso: assicurazione?', 'say.result': 'Box {box}: {outcome}, {net}.', 'say.paused': 'Il tavolo è in pausa: {reason}.', 'say.resumed': 'Il tavolo riprende.', 'say.shuffle': 'Si mescola un nuovo sabot.', 'say.net': 'Risultato della mano: {net}.',
  // keys
  'key.title': 'Tasti', 'key.chip': 'Sceglie la fiche, dalla più piccola', 'key.chip-add': 'Aggiunge una fiche alla puntata', 'key.repeat': 'Ripete la puntata; di nuovo, la raddoppia', 'key.new': 'Nuova mano; di nuovo, ripunta', 'key.undo': 'Toglie l’ultima puntata; per 3 secondi, tutte',
  'key.close': 'Chiude la finestra aperta o lo schermo intero', 'key.leave': 'Torna alla lobby', 'key.next': 'Passa al comando seguente', 'key.press': 'Preme il comando scelto', 'key.hit': 'Carta', 'key.stand': 'Stai', 'key.double': 'Raddoppia', 'key.split': 'Dividi', 'key.yes': 'Assicura o accetta', 'key.no': 'Rifiuta',
  'key.left': 'Carta sinistra', 'key.right': 'Carta destra', 'key.fold': 'Passa', 'key.deal': 'Distribuisce', 'key.help': 'Aiuto', 'key.louder': 'Alza il volume', 'key.softer': 'Abbassa il volume', 'key.words': 'Il tavolo in parole', 'key.cash-out': 'Incassa', 'key.held': 'tenuto 3 s',
} as const;
