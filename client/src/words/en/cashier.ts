import type { cashier as italian } from '../it/cashier';

/** The cashier, in English. */
export const cashier: Record<keyof typeof italian, string> = {
  // cashier
  'cash.title': 'Cashier',
  'cash.text': 'Play money: nothing here has a value outside the house.',
  'cash.free': 'Available',
  'cash.tables': 'At tables',
  'cash.in': 'Deposit',
  'cash.out': 'Withdraw',
  'cash.amount': 'Amount',
  'cash.unread': 'Write an amount, as 50 or 12.50',
  'cash.deposited': 'Deposited {amount}.',
  'cash.withdrawn': 'Withdrawn {amount}.',
  'cash.prompt': 'Before your first deposit you can set a limit.',
  'cash.prompt-go': 'Set a limit',
  'cash.moves': 'Transactions',
  'cash.when': 'When',
  'cash.what': 'What',
  'cash.reference': 'Reference',
  'cash.none': 'No transactions yet.',
  'cash.deposit': 'Deposit',
  'cash.withdrawal': 'Withdrawal',
  'cash.provider': 'Through {provider}',
  'cash.more': 'More transactions',
  'cash.choose': 'Ready amounts',
};
