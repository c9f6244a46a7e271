import { supervision } from './console.it';
import { desk } from './desk.it';
import { hall } from './hall.it';
import { odds } from './odds.it';
import { rules } from './rules.it';
import { refusals } from './refusals.it';
import { room } from './room.it';
import { solo } from './solo.it';
import { table } from './table.it';
import { verifier } from './verifier.it';

/** The house in Italian, the first language: short, polite, exact. Keys are shared by all languages. */
export const it = {
  // cards
  'card.down': 'Carta coperta',
  'card.name': '{rank} di {suit}',
  'rank.A': 'Asso', 'rank.T': '10', 'rank.J': 'Fante', 'rank.Q': 'Donna', 'rank.K': 'Re',
  'suit.S': 'picche', 'suit.H': 'cuori', 'suit.D': 'quadri', 'suit.C': 'fiori',
  'chip.value': 'Fiche da {amount}',
  'chip.short': 'Fiche da {amount}: il saldo non basta',
  // bets, long and short
  'bet.main': 'Puntata principale', 'bet.behind': 'Puntata dietro', 'bet.perfect-pairs': 'Perfect Pairs', 'bet.21+3': '21+3',
  'bet.dealer-pair': 'Coppia del banco', 'bet.2-up': '2 UP', 'bet.link': 'LINK', 'bet.split': 'Divisione', 'bet.double': 'Raddoppio',
  'bet.insurance': 'Assicurazione', 'bet.behind-split': 'Dietro, divisione', 'bet.behind-double': 'Dietro, raddoppio',
  'bet.behind-insurance': 'Dietro, assicurazione', 'bet.ante': 'Ante', 'bet.raise': 'Rilancio', 'bet.max-win': 'Vincita massima',
  'spot.main': '', 'spot.behind': 'dietro', 'spot.perfect-pairs': 'PP', 'spot.21+3': '21+3', 'spot.dealer-pair': 'Coppia banco',
  'spot.2-up': '2 UP', 'spot.link': 'LINK',
  'won.perfect': 'Coppia perfetta', 'won.coloured': 'Coppia colorata', 'won.mixed': 'Coppia mista', 'won.suited-trips': 'Tris dello stesso seme',
  'won.straight-flush': 'Scala colore', 'won.trips': 'Tris', 'won.straight': 'Scala', 'won.flush': 'Colore', 'won.pair': 'Coppia',
  // actions
  'act.hit': 'Carta', 'act.stand': 'Stai', 'act.double': 'Raddoppia', 'act.split': 'Dividi', 'act.surrender': 'Abbandona',
  'act.cash-out': 'Incassa', 'act.insure': 'Assicura', 'act.decline': 'No, grazie', 'act.even-money': 'Alla pari', 'act.fold': 'Passa',
  'act.left': 'Carta sinistra', 'act.right': 'Carta destra',
  'act.undo': 'Annulla', 'act.clear': 'Cancella', 'act.repeat': 'Ripeti', 'act.repeat-double': 'Ripeti 2×', 'act.deal': 'Distribuisci',
  'booked.hit': 'Carta prenotata', 'booked.stand': 'Stai prenotato', 'booked.double': 'Raddoppio prenotato', 'booked.split': 'Dividi prenotato',
  'booked.surrender': 'Abbandono prenotato', 'booked.cash-out': 'Incasso prenotato',
  'hint.hit': 'una in più', 'hint.stand': 'con {total}', 'hint.free': 'senza costo', 'hint.now': '{amount} subito', 'hint.decline': 'resta com’è',
  // how a hand ended
  'end.bust': 'Sballa {total}', 'end.blackjack': 'Blackjack', 'end.blackjack-short': 'BJ', 'end.charlie': 'Charlie', 'end.cashed-out': 'Incassata', 'end.surrendered': 'Abbandonata',
  'end.folded': 'Passata', 'end.win': 'Vince', 'end.lose': 'Perde', 'end.push': 'Pari', 'end.even-money': 'Alla pari', 'end.not-qualified': 'Banco non qualificato',
  // the table
  'table.dealer': 'Banco', 'table.you': 'Tu', 'table.box': 'Box {box}', 'table.free': 'libero', 'table.sit': 'Siediti qui',
  'table.leave': 'Lascia il box {box}', 'table.leaving': 'si alza a fine mano', 'table.bot': 'automa', 'table.streak': '{count} mani vinte di fila',
  'table.behind': '{count} dietro · {amount}', 'table.seal': 'Sigillo {seal}', 'table.shoe': 'Sabot: {left} carte', 'table.tray': 'Carte uscite: {used}',
  'table.of': 'di {total}', 'table.hand': 'Mano {hand}', 'table.doubled': 'raddoppiata', 'table.total': 'Totale {total}', 'table.waits': 'attende',
  'table.limit': 'Limite raggiunto', 'table.community': 'Carte comuni', 'table.empty-hand': 'nessuna carta', 'table.boxes': 'I box', 'table.others': 'Altri box', 'table.insured': 'Assicurato {amount}',
  'spot.name': '{bet}, box {box}', 'spot.add': '{name}: aggiungi {amount}', 'spot.holds': '{name}: {amount}', 'spot.empty': '{name}: vuoto',
  'spot.won': 'vince {amount}', 'spot.lost': 'persa', 'spot.pushed': 'torna {amount}', 'spot.pending': 'in arrivo al banco',
  'felt.blackjack': 'Blackjack paga {odds}', 'felt.stands': 'Il banco sta su tutti i 17', 'felt.hits': 'Il banco tira sul 17 morbido', 'felt.insurance': 'Assicurazione paga {odds}',
  // deciding
  'decide.title': 'Box {box}, tocca a te', 'decide.hand': 'Box {box}, mano {hand}', 'decide.solo': 'Mano {box}, {total} contro {dealer}', 'decide.label': 'La tua decisione',
  'decide.insurance': 'Box {box}, assicurazione?', 'decide.timeout': 'Allo scadere: {action}', 'decide.seconds': '{seconds} s', 'decide.left': 'Restano {seconds} secondi',
  'decide.no-clock': 'Senza fretta: qui non c’è orologio', 'decide.pending': 'Inviata', 'decide.key': 'Tasto {key}', 'decide.early': 'Scegli prima del turno', 'decide.closed': 'non disponibile',
  'decide.all': 'Per tutti i box',
  // betting
  'bets.balance': 'Saldo', 'bets.total': 'Puntata', 'bets.net': 'Risultato', 'bets.tray': 'Fiche', 'bets.tools': 'Puntate', 'bets.closed': 'Puntate chiuse fino alla prossima mano',
  'bets.open': 'Puntate aperte', 'bets.hold': 'Tieni premuto per togliere tutto', 'bets.last-call': 'Ultime puntate',
  'limits.title': 'Limiti del tavolo', 'limits.main': 'Principale', 'limits.behind': 'Puntata dietro', 'limits.range': '{least} – {most}',
  // the settlement
  'settle.title': 'Il conto della mano', 'settle.bet': 'Puntata', 'settle.stake': 'Posta', 'settle.sum': 'Conto', 'settle.returned': 'Incasso', 'settle.criterion': 'Criterio', 'settle.total': 'Totale',
  'settle.box': 'Box {box}, {bet}', 'settle.hand': 'Box {box}, mano {hand}, {bet}', 'settle.net': '{returned} − {staked} = {net}', 'settle.empty': 'Nessuna puntata in questa mano.',
  // chat
  'chat.title': 'Chat', 'chat.people.one': '{count} al tavolo', 'chat.people.other': '{count} al tavolo', 'chat.write': 'Scrivi un messaggio', 'chat.send': 'Invia', 'chat.close': 'Chiudi la chat', 'chat.open': 'Apri la chat',
  'chat.move': 'Sposta la chat', 'chat.resize': 'Ridimensiona la chat', 'chat.hide': 'Nascondi i messaggi degli altri', 'chat.show': 'Mostra i messaggi degli altri', 'chat.hidden': 'I messaggi degli altri sono nascosti.',
  'chat.empty': 'Ancora nessun messaggio. Buonasera.', 'chat.arrows': 'Frecce per spostare, Maiusc e frecce per ridimensionare', 'chat.muted': 'La chat è chiusa per te.', 'chat.host': 'banco',
  // reasons in the words of the rules
  'reason.choose': 'prima si sceglie una carta o si passa', 'reason.hit-or-stand': 'si chiede carta o si sta', 'reason.not-asked': 'adesso non si chiede', 'reason.two-cards': 'solo con le prime due carte',
  'reason.after-split': 'non dopo una divisione', 'reason.not-offered': 'non c’è in questo gioco', 'reason.no-double-after-split': 'niente raddoppio dopo una divisione', 'reason.nine-eleven': 'solo con 9, 10 o 11',
  'reason.ten-eleven': 'solo con 10 o 11', 'reason.equal-value': 'servono due carte pari', 'reason.equal-rank': 'servono due carte uguali', 'reason.two-hands': 'due mani al massimo',
  'reason.three-hands': 'tre mani al massimo', 'reason.four-hands': 'quattro mani al massimo', 'reason.split-aces': 'gli assi divisi prendono una carta sola', 'reason.no-early': 'in questo gioco si aspetta il turno',
  'reason.turn-came': 'il turno di questo box è già venuto', 'reason.hand-over': 'questa mano è finita', 'reason.only-blackjack': 'solo con un Blackjack', 'reason.insurance-asked': 'adesso si risponde all’assicurazione',
  'reason.even-money-instead': 'con un Blackjack si offre il pagamento alla pari', 'reason.only-insurance': 'per tutti i box si risponde solo all’assicurazione', 'reason.not-so-often': 'non tante volte',
  'reason.not-before-deal': 'non prima delle carte', 'reason.not-here': 'a questo tavolo non c’è', 'reason.restart': 'la casa riparte', 'reason.generator': 'il generatore delle carte è fermo',
  'reason.twelve-hours': 'sono passate 12 ore', 'reason.half-an-hour': '30 minuti senza attività', 'reason.logged-out': 'sei uscito, o non esiste più',
  'phase.shuffling': 'si mescola', 'phase.betting': 'si raccolgono le puntate', 'phase.round': 'la mano è in corso', 'phase.results': 'si paga la mano',
  ...room,
  ...hall,
  ...desk,
  ...supervision,
  ...odds,
  ...rules,
  ...solo,
  ...table,
  ...verifier,
  ...refusals,
} as const;
