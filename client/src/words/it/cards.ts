/** Cards and chips, in Italian. */
export const cards = {
  // cards
  'card.down': 'Carta coperta',
  'card.name': '{rank} di {suit}',
  'rank.A': 'Asso',
  'rank.T': '10',
  'rank.J': 'Fante',
  'rank.Q': 'Donna',
  'rank.K': 'Re',
  'suit.S': 'picche',
  'suit.H': 'cuori',
  'suit.D': 'quadri',
  'suit.C': 'fiori',
  'chip.value': 'Fiche da {amount}',
  'chip.short': 'Fiche da {amount}: il saldo non basta',
} as const;
