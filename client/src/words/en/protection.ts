import type { protection as italian } from '../it/protection';

/** Limits, pauses and exclusions, in English. */
export const protection: Record<keyof typeof italian, string> = {
  // protection
  'guard.title': 'Play responsibly',
  'guard.text': 'Gambling is a pastime. You set the bounds: the house enforces them on every bet.',
  'guard.limits': 'Your limits',
  'guard.limits-text':
    'A lower limit holds at once. A higher one, or none, waits {days} days and must then be confirmed.',
  'guard.limits-hours':
    'A lower limit holds at once. A higher one, or none, waits {hours} hours and must then be confirmed.',
  'guard.deposit': 'Deposits',
  'guard.stake': 'Stakes',
  'guard.loss': 'Losses',
  'guard.session': 'Length of a session',
  'guard.day': 'a day',
  'guard.week': 'a week',
  'guard.month': 'a month',
  'guard.minutes': 'minutes',
  'guard.none': 'no limit',
  'guard.set': 'Set',
  'guard.remove': 'Remove',
  'guard.new': 'New limit: {name}',
  'guard.waiting': 'Asked for: {amount}, from {ready}',
  'guard.confirm': 'Confirm',
  'guard.not-yet': 'Can be confirmed from {ready}',
  'guard.done': 'The limit holds from now.',
  'guard.asked': 'Request taken: the limit before it still holds.',
  'guard.nothing': 'There is no limit to remove',
  'guard.minutes-value': '{count} min',
  'guard.unread-minutes': 'Write the minutes, a whole number',
  'guard.reality': 'A reminder now and then',
  'guard.reality-text': 'Now and then play stops and tells you how long you have played and with what result.',
  'guard.every': 'Every {count} minutes',
  'guard.pause': 'Take a break',
  'guard.pause-text': 'No play for as long as you choose. It can be made longer, never shorter.',
  'guard.pause-days.one': '{count} day',
  'guard.pause-days.other': '{count} days',
  'guard.pause-go': 'Start the break',
  'guard.cooling': 'You are on a break until {until}.',
  'guard.exclusion': 'Self-exclusion',
  'guard.exclusion-text':
    'Closes play on every device, at once. One with an end cannot be revoked; one without can be after six months.',
  'guard.exclude-days': 'For {count} days',
  'guard.exclude-forever': 'Without end',
  'guard.exclude-go': 'Exclude me',
  'guard.excluded': 'You are excluded until {until}.',
  'guard.excluded-forever': 'You are excluded without end.',
  'guard.sure': 'Are you sure?',
  'guard.sure-pause': 'The break starts at once and cannot be shortened.',
  'guard.sure-exclusion': 'The exclusion starts at once, on every device. Open rounds are finished by the rules.',
  'guard.no': 'No, go back',
  'guard.yes': 'Yes, I want it',
  'guard.help': 'Who can help',
  'guard.help-text':
    'Italian national helpline for gambling: 800 558822, free and anonymous, Monday to Friday 10–16. Elsewhere your' +
    ' health service can name one near you.',
  'guard.signs': 'Questions to ask yourself',
  'guard.signs-text':
    'Do you play to win back losses? Longer than you meant to? Do you hide it from someone? One yes is enough to ' +
    'stop and talk.',
  'guard.length': 'Length',
};
