import { reading } from '../../words/words.svelte';

/** The captions of the parts page; they travel with the page, not with the house. */
const TITLES = {
  title: ['I pezzi di Ventuno', 'The parts of Ventuno'], intro: ['Ogni componente in ogni stato, con dati inventati.', 'Every component in every state, with invented data.'],
  deck: ['Il mazzo', 'The deck'], four: ['Quattro colori', 'Four colours'], large: ['Indice grande e dorso', 'Large index and back'], turn: ['Gira la carta', 'Turn the card'], deal: ['Distribuisci di nuovo', 'Deal again'],
  chips: ['Fiche e pile', 'Chips and piles'], cents: ['In centesimi', 'In cents'], round: ['Tavolo: tocca a te', 'Table: your turn'], betting: ['Tavolo: puntate aperte', 'Table: bets are open'], results: ['Tavolo: si paga', 'Table: the round is paid'],
  insurance: ['Tavolo: assicurazione', 'Table: insurance'], reconnecting: ['Tavolo: riconnessione', 'Table: reconnecting'], phone: ['Telefono', 'Phone'],
  spots: ['Cerchi', 'Spots'], hands: ['Mani e totali', 'Hands and totals'], plaques: ['Targhe', 'Plaques'], clocks: ['Tempo', 'Time'], decide: ['Decidere', 'Deciding'], dock: ['Puntare', 'Betting'], limits: ['Limiti', 'Limits'], settle: ['Il conto', 'The sums'], chat: ['Chat', 'Chat'],
  head: ['Testata', 'Header'], lobby: ['Sala', 'Lobby'], buttons: ['Pulsanti', 'Buttons'], windows: ['Finestre, avvisi, menu', 'Windows, notices, menus'], inputs: ['Scelte', 'Choices'], amounts: ['Importi', 'Amounts'], faces: ['Ogni stato ha un volto', 'Every state has a face'],
  refusals: ['Perché no: tutti i rifiuti della casa', 'Why not: every refusal of the house'], keys: ['Tasti', 'Keys'], words: ['Il tavolo in parole', 'The table in words'], sound: ['Suoni e voce', 'Sounds and voice'],
  empty: ['vuoto', 'empty'], open: ['aperto', 'open'], held: ['con fiche', 'with chips'], closed: ['chiuso', 'closed'], won: ['vinto', 'won'], lost: ['perso', 'lost'], pushed: ['pari', 'pushed'], pending: ['in arrivo', 'pending'], limit: ['al limite', 'at its limit'],
  show: ['Apri la finestra', 'Open the window'], notify: ['Mostra un avviso', 'Show a notice'], warn: ['Mostra un problema', 'Show a problem'], window: ['Una finestra', 'A window'], sentence: ['Esc la chiude, il fuoco resta dentro e poi torna dov’era.', 'Esc closes it, the focus stays inside and then returns where it was.'],
  told: ['Il box 3 ora è libero.', 'Box 3 is free now.'], problem: ['Puntata non accettata: tempo scaduto.', 'Bet not taken: the time is up.'], voice: ['Voce del banco', 'Dealer’s voice'], sounds: ['Suoni del gioco', 'Game sounds'], volume: ['Volume', 'Volume'], general: ['Generale', 'General'], audio: ['Audio', 'Audio'], behind: ['Puntate dietro', 'Bet behind'],
  motion: ['Meno movimento', 'Less motion'], ok: ['Va bene', 'All right'], cancel: ['Annulla', 'Cancel'], play: ['Cinque mani, incasso anticipato', 'Five hands, early cash out'], two: ['Due carte comuni, una scelta', 'Two community cards, one choice'],
  says: ['Box quattro, sette o diciassette.', 'Box four, seven or seventeen.'], reason: ['un errore di procedura al box 2', 'an error of procedure at box 2'],
} as const;

export type Title = keyof typeof TITLES;
export const title = (key: Title): string => TITLES[key][reading.language === 'it' ? 0 : 1];
