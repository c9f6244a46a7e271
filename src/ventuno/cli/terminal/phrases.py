"""What the terminal table says: each phrase in Italian and in English, side by side (X-21)."""

from __future__ import annotations

from ventuno.cli.terminal.refusal_text import REASONS, REFUSALS
from ventuno.core.rules.money import Cents, euro

LANGUAGES = ("it", "en")

PHRASES: dict[str, tuple[str, str]] = {
    # the house
    "house": ("Ventuno, sala da gioco", "Ventuno, card room"),
    "pick": (
        "A quale tavolo? Un numero o un nome; «esci» per uscire.",
        "Which table? A number or a name; “quit” leaves.",
    ),
    "no-table": ("Questo tavolo non c'è.", "There is no such table."),
    "decks": ("{count} mazzi", "{count} decks"),
    "boxes": ("{count} box", "{count} boxes"),
    "seed": ("carte ripetibili, seme {seed}", "repeatable cards, seed {seed}"),
    "welcome": (
        "Buonasera. «1 500» punta 5,00 sul box 1, «dai» dà le carte, «aiuto» dice il resto.",
        "Good evening. “1 500” bets 5.00 on box 1, “deal” deals, “help” tells the rest.",
    ),
    "goodbye": ("Arrivederci. Saldo {balance}, risultato {net}.", "Goodbye. Balance {balance}, result {net}."),
    "closing": (
        "La mano aperta si chiude secondo le regole del tempo scaduto.",
        "The open round is closed by the time-out rules.",
    ),
    # the felt
    "dealer": ("BANCO", "DEALER"),
    "box": ("Box {box}", "Box {box}"),
    "free": ("libero", "free"),
    "yours": ("vostro", "yours"),
    "left": ("SINISTRA", "LEFT"),
    "right": ("DESTRA", "RIGHT"),
    "early": ("prima scelta: {action}", "early: {action}"),
    "felt-blackjack": ("Blackjack paga {odds}", "Blackjack pays {odds}"),
    "felt-insurance": ("assicurazione {odds}", "insurance pays {odds}"),
    "felt-stand": ("il banco sta su ogni 17", "dealer stands on all 17s"),
    "felt-hit": ("il banco tira sul 17 soft", "dealer hits soft 17"),
    "felt-qualify": ("il banco si qualifica con {points}", "dealer qualifies with {points}"),
    "felt-draw": ("tira fino a {points}", "draws to {points}"),
    "felt-charlie": ("{count} carte senza sballare vincono", "{count} cards without a bust win"),
    "to-one": ("{up} a {down}", "{up} to {down}"),
    "in-all": ("×{total} in tutto", "×{total} in all"),
    "balance": ("Saldo", "Balance"),
    "total": ("Puntata totale", "Total bet"),
    "chips": ("Gettoni", "Chips"),
    "limits": ("Limiti", "Limits"),
    "cap": ("tutta la mano {cap}", "whole round {cap}"),
    "round": ("mano {code}", "round {code}"),
    "pays": ("Quote", "Pay table"),
    # bets
    "bet.main": ("puntata", "bet"),
    "bet.behind": ("dietro", "behind"),
    "bet.perfect-pairs": ("coppia", "pair"),
    "bet.21+3": ("21+3", "21+3"),
    "bet.dealer-pair": ("coppia banco", "dealer pair"),
    "bet.link": ("LINK", "LINK"),
    "bet.2-up": ("2 UP", "2 UP"),
    "bet.split": ("divisione", "split"),
    "bet.double": ("raddoppio", "double"),
    "bet.insurance": ("assicurazione", "insurance"),
    "bet.behind-split": ("dietro, divisione", "behind, split"),
    "bet.behind-double": ("dietro, raddoppio", "behind, double"),
    "bet.behind-insurance": ("dietro, assicurazione", "behind, insurance"),
    "bet.ante": ("ante", "ante"),
    "bet.raise": ("rilancio", "raise"),
    "bet.max-win": ("vincita massima", "maximum win"),
    "won.perfect": ("perfetta", "perfect"),
    "won.coloured": ("stesso colore", "coloured"),
    "won.mixed": ("mista", "mixed"),
    "won.suited-trips": ("tris di seme", "suited trips"),
    "won.straight-flush": ("scala di seme", "straight flush"),
    "won.trips": ("tris", "trips"),
    "won.straight": ("scala", "straight"),
    "won.flush": ("colore", "flush"),
    "won.pair": ("coppia", "pair"),
    # actions and how a hand ended
    "act.hit": ("carta", "hit"),
    "act.stand": ("stai", "stand"),
    "act.double": ("raddoppia", "double"),
    "act.split": ("dividi", "split"),
    "act.surrender": ("abbandona", "surrender"),
    "act.cash-out": ("incassa", "cash out"),
    "act.insure": ("sì, assicura", "yes, insure"),
    "act.decline": ("no", "no"),
    "act.even-money": ("sì, alla pari", "yes, even money"),
    "act.fold": ("lascia", "fold"),
    "act.left": ("sinistra", "left"),
    "act.right": ("destra", "right"),
    "key.hit": ("c", "h"),
    "key.stand": ("s", "s"),
    "key.double": ("r", "d"),
    "key.split": ("v", "p"),
    "key.surrender": ("b", "u"),
    "key.cash-out": ("i", "i"),
    "key.insure": ("s", "y"),
    "key.decline": ("n", "n"),
    "key.even-money": ("s", "y"),
    "key.fold": ("f", "f"),
    "key.left": ("sx", "l"),
    "key.right": ("dx", "r"),
    "end.bust": ("sballato", "bust"),
    "end.blackjack": ("Blackjack", "Blackjack"),
    "end.charlie": ("Charlie", "Charlie"),
    "end.cashed-out": ("incassato", "cashed out"),
    "end.surrendered": ("abbandonato", "surrendered"),
    "end.folded": ("lasciato", "folded"),
    "end.win": ("vince", "wins"),
    "end.lose": ("perde", "loses"),
    "end.push": ("pari", "push"),
    "end.even-money": ("alla pari", "even money"),
    "end.not-qualified": ("banco non qualificato", "dealer does not qualify"),
    # what is asked
    "bets-open": ("Puntate, prego.", "Place your bets."),
    "now": ("Adesso:", "Now:"),
    "not-now": ("Non ora: {names}. «perché» spiega.", "Not now: {names}. “why” explains."),
    "enter-deal": ("Invio dà le carte.", "Enter deals."),
    "enter-repeat": ("Invio ripete le puntate.", "Enter repeats your bets."),
    "your-turn": ("Box {box}: {total}. Cosa fate?", "Box {box}: {total}. Your decision?"),
    "your-hand": ("Box {box}, mano {hand}: {total}. Cosa fate?", "Box {box}, hand {hand}: {total}. Your decision?"),
    "ask-insurance": ("Box {box}: assicurazione?", "Box {box}: insurance?"),
    "ask-even-money": ("Box {box}: Blackjack. Pagato alla pari?", "Box {box}: Blackjack. Even money?"),
    "for-all": ("«tutti sì» o «tutti no» vale per ogni box.", "“all yes” or “all no” answers for every box."),
    "forfeit": ("Una carta rinuncia a: {name}, {amount}.", "Drawing gives up: {name}, {amount}."),
    "open-all": ("Adesso è tutto permesso.", "Everything is allowed now."),
    "why": ("{name}: {reason}", "{name}: {reason}"),
    "unclear": ("Non capisco. «aiuto» mostra i comandi.", "I do not follow. “help” shows the commands."),
    "need-amount": ("Box e centesimi, per esempio «1 500».", "A box and cents, for example “1 500”."),
    "money-out": (
        "Il saldo non copre il minimo. «soldi {cents}» porta {example} al tavolo.",
        "The balance does not cover the minimum. “money {cents}” brings {example} to the table.",
    ),
    "money-over": (
        "Il saldo non copre il minimo, e in questa sessione non si porta altro. «esci» per uscire.",
        "The balance does not cover the minimum, and no more may be brought to this session. “quit” leaves.",
    ),
    "money-in": ("Portati al tavolo {amount}.", "{amount} brought to the table."),
    # the round, told
    "dealt": ("Niente più puntate. Carte.", "No more bets. Cards."),
    "hit-told": ("Box {box}: {card}, {total}.", "Box {box}: {card}, {total}."),
    "stood-told": ("Box {box}: sta a {total}.", "Box {box}: stands on {total}."),
    "rule-told": ("Box {box}: {total}, sta da sé.", "Box {box}: {total}, stands by itself."),
    "doubled-told": ("Box {box}: raddoppia, {card}, {total}.", "Box {box}: doubles, {card}, {total}."),
    "split-told": ("Box {box}: divide, {first} e {second}.", "Box {box}: splits, {first} and {second}."),
    "cashed-told": ("Box {box}: incassa.", "Box {box}: cashes out."),
    "surrendered-told": ("Box {box}: abbandona.", "Box {box}: surrenders."),
    "folded-told": ("Box {box}: lascia.", "Box {box}: folds."),
    "chosen-told": ("Box {box}: prende {card}, {total}.", "Box {box}: takes {card}, {total}."),
    "insured-told": ("Box {box}: assicurato per {amount}.", "Box {box}: insured for {amount}."),
    "even-told": ("Box {box}: pagato alla pari.", "Box {box}: even money."),
    "peek-no": ("Il banco guarda: niente Blackjack.", "The dealer looks: no Blackjack."),
    "peek-yes": ("Il banco guarda: Blackjack.", "The dealer looks: Blackjack."),
    "hole-told": ("Il banco gira {card}.", "The dealer turns {card}."),
    "drew-told": ("Il banco tira {card}.", "The dealer draws {card}."),
    "dealer-chose": ("Il banco gira {card} e prende {other}.", "The dealer turns {card} and takes {other}."),
    "replaced-told": (
        "Box {box}: mancano {missing} per «{asked}»; si fa «{done}».",
        "Box {box}: {missing} short for “{asked}”; “{done}” instead.",
    ),
    "early-told": ("Box {box}: scelta segnata, {action}.", "Box {box}: noted, {action}."),
    "early-gone": ("Box {box}: scelta tolta.", "Box {box}: choice taken back."),
    "removed-told": ("Tornano {amount}: {reason}.", "{amount} come back: {reason}."),
    "below-minimum": ("sotto il minimo", "below the minimum"),
    "owner-sits-out": ("il box non gioca", "the box sits out"),
    "seat-told": ("Siete al box {box}.", "You sit at box {box}."),
    "seat-left": ("Box {box} lasciato.", "Box {box} is free again."),
    "shoe-told": ("Esce la carta di taglio: nuovo sabot.", "The cut card is out: a new shoe."),
    # the bonus
    "bonus": ("Bonus LINK, box {box}, puntata {stake}", "LINK bonus, box {box}, bet {stake}"),
    "bonus-spin": ("Invio gira la ruota.", "Enter spins the wheel."),
    "board-spin": (
        "Giri rimasti {spins}. Invio gira, «salta» va in fondo.",
        "{spins} spins left. Enter spins, “skip” goes to the end.",
    ),
    "wheel-told": ("La ruota si ferma su {segment}.", "The wheel stops at {segment}."),
    "spin-told": ("Nuovi premi: {prizes}.", "New prizes: {prizes}."),
    "spin-none": ("Nessun premio.", "No prize."),
    "prize-told": ("Il bonus paga {prize} volte: {amount}.", "The bonus pays {prize} times: {amount}."),
    "diamond": ("diamante", "diamond"),
    # the receipt
    "place": ("Box", "Box"),
    "bet": ("Giocata", "Bet"),
    "stake": ("Posta", "Stake"),
    "returned": ("Torna", "Returned"),
    "arithmetic": ("Conto, centesimi", "Arithmetic, cents"),
    "criterion": ("Regola", "Rule"),
    "table": ("tavolo", "table"),
    "net": ("Risultato {net}, saldo {balance}.", "Result {net}, balance {balance}."),
    # betting words, as shown
    "do.deal": ("dai", "deal"),
    "do.repeat": ("ripeti", "repeat"),
    "do.repeat-double": ("ridai x2", "redeal x2"),
    "do.undo": ("annulla", "undo"),
    "do.clear": ("cancella", "clear"),
    "do.double": ("raddoppia", "double"),
}

HELP = {
    "it": (
        ("1 500", "5,00 sul box 1 (centesimi; «1 5,00» è lo stesso)"),
        ("1 {side} 200", "giocata accessoria sul box 1: {sides}"),
        ("tutti 500", "la stessa puntata su tutti i box"),
        ("togli 1 [giocata]", "toglie una giocata"),
        ("dai, ripeti, annulla, cancella, raddoppia", "d, r, a, c, x; Invio ripete, poi dà le carte"),
        ("ridai, ridai x2", "ripete le puntate (o le raddoppia) e dà le carte"),
        ("siedi 3, alzati 3", "al tavolo dal vivo; una puntata prende da sé il posto libero"),
        ("c, s, r, v, i", "carta, stai, raddoppia, dividi, incassa; h, s, d, p in inglese"),
        ("sì, no, tutti sì, tutti no", "assicurazione e pagamento alla pari"),
        ("sx, dx, f", "carta di sinistra, di destra, lascia"),
        ("3 s", "prima scelta per il box 3 prima del turno; «3 -» la toglie"),
        ("perché, quote, soldi 5000, esci", "motivi, tabella dei pagamenti, altro denaro, uscita"),
        ("1 500; 2 500; dai", "più comandi in una riga"),
    ),
    "en": (
        ("1 500", "5.00 on box 1 (cents; “1 5.00” is the same)"),
        ("1 {side} 200", "a side bet on box 1: {sides}"),
        ("all 500", "the same bet on every box"),
        ("remove 1 [bet]", "takes a bet off"),
        ("deal, repeat, undo, clear, double", "d, r, u, c, x; Enter repeats, then deals"),
        ("redeal, redeal x2", "repeats the bets (or doubles them) and deals"),
        ("sit 3, leave 3", "at the live table; a bet takes a free seat by itself"),
        ("h, s, d, p, i", "hit, stand, double, split, cash out; c, s, r, v in Italian"),
        ("yes, no, all yes, all no", "insurance and even money"),
        ("l, r, f", "left card, right card, fold"),
        ("3 s", "early decision for box 3 before its turn; “3 -” takes it back"),
        ("why, pays, money 5000, quit", "reasons, pay table, more money, leave"),
        ("1 500; 2 500; deal", "several commands on one line"),
    ),
}


class Voice:
    """One language of the house."""

    def __init__(self, language: str) -> None:
        self.language, self.column = language, LANGUAGES.index(language)

    def __call__(self, key: str, **fields: object) -> str:
        return PHRASES[key][self.column].format(**fields)

    def known(self, key: str, otherwise: str) -> str:
        """A phrase that may be missing, such as the name of a bet that no game has."""
        return PHRASES[key][self.column] if key in PHRASES else otherwise

    def money(self, amount: Cents) -> str:
        text = euro(amount)
        return text if self.language == "it" else text.translate(str.maketrans(".,", ",.")).replace("€ ", "€")

    def signed(self, amount: Cents) -> str:
        return f"+{self.money(amount)}" if amount > 0 else self.money(amount)

    def refusal(self, code: str) -> str | None:
        """The sentence of a refusal, its fields still open."""
        return REFUSALS[code][self.column] if code in REFUSALS else None

    def reason(self, text: str) -> str:
        """The core's own words, in this language."""
        return REASONS.get(text, text) if self.language == "it" else text
