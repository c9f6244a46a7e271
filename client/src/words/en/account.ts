import type { account as italian } from '../it/account';

/** The account, in English. */
export const account: Record<keyof typeof italian, string> = {
  // account
  'acc.title': 'Your account',
  'acc.since': 'With us since {date}',
  'acc.last': 'Last login: {date}',
  'acc.first': 'First login',
  'acc.guest-text':
    'You are a guest: the account lives in this browser. Give it a name and a password to find it anywhere.',
  'acc.sessions': 'Open sessions',
  'acc.current': 'this one',
  'acc.seen': 'seen {date}',
  'acc.end': 'End',
  'acc.end-label': 'End the session from {address}',
  'acc.end-all': 'Log out on every device',
  'acc.ended': 'Session ended.',
  'acc.password': 'Password',
  'acc.old': 'Current password',
  'acc.new': 'New password',
  'acc.change': 'Change',
  'acc.changed': 'Password changed. Other sessions have ended.',
  'acc.factor': 'Second factor',
  'acc.factor-on': 'On: a code is asked for as well when you log in.',
  'acc.factor-off': 'Off. With an authenticator app the account is much safer.',
  'acc.factor-go': 'Turn on',
  'acc.factor-picture': 'QR code with the key of the second factor',
  'acc.factor-scan':
    'Scan the code with an app for codes (the telephone’s own, for instance), then write the first code it shows here.',
  'acc.factor-hand': 'No camera: type the key into the app by hand, or open the link on this device.',
  'acc.factor-lost':
    'Each of these stands in for a code of the app, once: if you lose the telephone, come in with one, switch the ' +
    'second factor off and on again. If you lose these too, nobody can open the account for you.',
  'acc.factor-copy': 'Copy the codes',
  'acc.factor-copied': 'Copied.',
  'acc.factor-on-lost': 'Telephone lost? A recovery code counts as a code of the app.',
  'acc.factor-cancel': 'Never mind',
  'acc.factor-link': 'Open in the app',
  'acc.factor-code': 'Code shown by the app',
  'acc.factor-confirm': 'Confirm',
  'acc.factor-recovery': 'Recovery codes: shown only now, each opens once.',
  'acc.factor-kept': 'I have put them away',
  'acc.factor-remove': 'Remove the second factor',
  'acc.factor-removed': 'Second factor removed.',
  'acc.code-needs': 'Write the code',
  'acc.password-needs': 'Write both passwords',
  'acc.only-holders': 'Keep your account first: a guest has no password',
};
