import type { entry as italian } from '../it/entry';

/** The welcome page, login and registration, in English. */
export const entry: Record<keyof typeof italian, string> = {
  // coming in
  'welcome.title': 'Blackjack, the way it should be.',
  'welcome.text':
    'Live tables and four games for one. Cards sealed before the bet, every sum written out line by line.',
  'welcome.guest': 'Play as a guest',
  'welcome.guest-note': 'At once, with play money. Nothing to fill in.',
  'welcome.login': 'Log in',
  'welcome.register': 'Create an account',
  'welcome.games': 'The games of the house',
  'welcome.next': 'Come in to go on: the page you asked for is waiting.',
  'welcome.skip': 'Skip to the content',
  'entry.login': 'Log in',
  'entry.register': 'Create an account',
  'entry.upgrade': 'Keep your account',
  'entry.upgrade-text': 'From guest to holder: same balance, same history.',
  'entry.name': 'Name',
  'entry.password': 'Password',
  'entry.password-note': 'At least 8 characters; a sentence is best.',
  'entry.code': 'Second-factor code',
  'entry.code-note': 'Six digits from the app, or a recovery code.',
  'entry.born': 'Date of birth',
  'entry.tax': 'Tax code',
  'entry.more': 'Personal details, where the house asks for them',
  'entry.go-login': 'Enter',
  'entry.go-register': 'Create and enter',
  'entry.have': 'Have an account already?',
  'entry.have-not': 'No account yet?',
  'entry.needs': 'Fill in name and password',
  'entry.show': 'Show the password',
  'entry.hide': 'Hide the password',
};
