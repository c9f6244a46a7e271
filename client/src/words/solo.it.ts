/** The games for one, in Italian. */
export const solo = {
  'solo.hand': 'Mano {box}', 'solo.seat': 'Posto {box}', 'solo.tap': 'Tocca per giocare', 'solo.pair': 'Coppia', 'solo.line': '{decks} mazzi · ritorno {percent}', 'solo.line-practice': 'Per prova · {decks} mazzi', 'solo.credits': 'Crediti',
  'solo.natural': 'Blackjack paga {times} volte', 'solo.asked': '{hand}, {total} contro {dealer}',
  'solo.dealer-pair': 'Coppia banco', 'solo.deal': 'Distribuisci', 'solo.start': 'Inizia', 'solo.again': 'Ripeti e distribuisci', 'solo.again-double': 'Raddoppia e distribuisci', 'solo.again-start': 'Ripeti', 'solo.new': 'Nuova puntata', 'solo.pick': 'Scegli una fiche, tocca un cerchio.',
  'solo.bets': 'In tutto {amount}', 'solo.shuffle': 'Si mescola, un momento', 'solo.shuffle.text': 'Il tuo browser taglia il mazzo coi suoi byte casuali.', 'solo.limits': 'Limiti del tuo livello', 'solo.range': 'Minimo {least} · Massimo {most}', 'solo.cap': 'In tutto non oltre {amount}', 'solo.max-win': 'Vincita massima {amount} a mano',
  'solo.pays': '{bet}, vincita', 'solo.returns': '{bet}, ritorno totale', 'solo.erase': 'Togli', 'solo.erase.text': 'Togli: il cerchio toccato si svuota; quello grande svuota il posto', 'solo.add-money': 'Aggiungi denaro', 'solo.louder': 'Alza il volume', 'solo.softer': 'Abbassa il volume', 'solo.volume': 'Volume {value} %',
  'solo.bring': 'Porta {amount}', 'solo.bring-play': 'Porta {amount} e gioca {bet}', 'solo.bring-other': 'Altro importo', 'solo.welcome': 'Benvenuto al tavolo', 'solo.welcome.text': 'Denaro virtuale. Quello che porti resta tuo e torna sul conto quando vuoi.',
  'solo.fun': 'Gioca per prova', 'solo.forfeit': 'Chiedendo carta perdi la coppia ({amount}).', 'solo.funds': 'Per continuare servirà un rilancio pari all’ante: tieni {amount} di saldo.',
  'solo.insure': 'Assicurazione?', 'solo.insure.text': 'Il banco mostra un asso. Costa metà della puntata, paga {odds}.', 'solo.even': 'Alla pari?', 'solo.even.text': 'Hai Blackjack e il banco mostra un asso. Accetti 1 a 1, subito e comunque?',
  'solo.accept': 'Accetto', 'solo.accept-all': 'Accetto per tutte', 'solo.decline': 'Rifiuto', 'solo.decline-all': 'Rifiuto per tutte', 'solo.this': 'mano {box}, {amount}', 'solo.this-free': 'mano {box}', 'solo.all': 'tutte le mani', 'solo.answers': 'Risposta all’assicurazione',
  'solo.lines': '{count} righe', 'solo.cards': 'Carte comuni', 'solo.strip': 'Le tue mani',
  'solo.info': 'Aiuto (tasto i)', 'solo.coins': '{count} cent',
  // the duel
  'duel.qualify': 'Il banco si qualifica con {total} · Tutti i 21 sono pari', 'duel.ante': 'Ante', 'duel.raise': 'Rilancio', 'duel.title-two': 'Mano {box}: {total}', 'duel.take': 'Prendi {card} per {amount}',
  'duel.fold': 'Passa, perdi l’ante di {amount}', 'duel.way': 'Come sceglie il banco', 'duel.way.text': 'Il banco gira la sua prima carta e prende la carta comune che fa la prima mano di questo elenco. Poi pesca la sua seconda con {draw} o meno e sta da {stand} in su. Sotto {qualify} non si qualifica: l’ante paga 1 a 1, il rilancio torna.', 'duel.soft': '{total} morbido',
  'duel.hidden': 'una coperta: CARTA la gira, STAI la scarta',
  // the bonus
  'bonus.title': 'Mano {box} · bonus', 'bonus.blackjack': 'Blackjack con {bet}', 'bonus.text': 'La ruota non dipende dalla mano del banco. Il premio si aggiunge alla vincita della mano.', 'bonus.stake': 'Puntata {bet}', 'bonus.spin': 'Gira', 'bonus.skip': 'Salta', 'bonus.skip.text': 'Durante il giro il pulsante diventa SALTA.',
  'bonus.cash': 'Denaro', 'bonus.board': '{board}, {cells} caselle', 'bonus.wheel': 'Ruota del bonus', 'bonus.go': 'Continua', 'bonus.won': 'Hai vinto {amount}', 'bonus.opens': 'Si apre la tavola {board}', 'bonus.opens.text': '{cells} caselle, {spins} giri. Ogni nuovo premio resta fermo e riporta i giri a {spins}.',
  'bonus.prizes': 'Premi', 'bonus.spins': 'Giri rimasti', 'bonus.spins-of': '{left} di {all}', 'bonus.empty': 'Caselle libere: {left} su {all}', 'bonus.so-far': 'Premi finora', 'bonus.filled': '{filled} di {all}', 'bonus.multiplies': 'se è piena, × {times}', 'bonus.diamond': 'se è piena, un premio', 'bonus.diamond-name': 'Diamante', 'bonus.cell': '× {times}', 'bonus.cell-empty': 'casella vuota',
  'bonus.total': 'Totale {times} × {amount}', 'bonus.added': 'Il premio si aggiunge alla vincita della mano {box}, poi il tavolo riprende.', 'bonus.chance': 'Quanto è larga una fetta, tanto è probabile.', 'bonus.range': '× {least} – × {most}',
} as const;
