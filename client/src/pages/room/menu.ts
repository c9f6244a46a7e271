import type { IconName } from '../../art/icons';
import { router } from '../../router.svelte';
import { hasPage } from '../../routes';
import { person } from '../../wire/person.svelte';
import { reading, t } from '../../words/words.svelte';
import { changeLanguage, leave } from './login_session.svelte';
import { attempt } from '../../wire/toasts.svelte';

export interface Way {
  id: string;
  icon: IconName;
  label: string;
  href?: string;
  onpress: () => void;
}

const to = (name: string, icon: IconName, label: string): Way[] =>
  hasPage(name) ? [{ id: name, icon, label, href: `/${name}`, onpress: () => router.go(`/${name}`) }] : [];

/** Full screen on and off (V-96); a browser that has none lacks the command. */
export async function fullScreen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}

/** The rooms in the head of the page. */
export const rooms = (): Way[] => [
  { id: '', icon: 'lobby', label: t('nav.tables'), href: '/', onpress: () => router.go('/') },
  ...to('history', 'history', t('nav.history')),
  ...to('practice', 'hit', t('nav.practice')),
  ...to('odds', 'verify', t('nav.odds')),
];

/** Whether a console is theirs; what they may do there is the house's to say. */
export const isStaff = (): boolean => !['player', 'bot', 'dealer'].includes(person.me?.role ?? 'player');

/** Whether a desk is theirs: dealers, and supervisors in their place. */
export const isDealer = (): boolean => ['dealer', 'supervisor'].includes(person.me?.role ?? 'player');

/** Everything else, behind one button. */
export const more = (): Way[] => [
  ...(person.me?.guest ? to('register', 'lock', t('nav.upgrade')) : []),
  ...to('account', 'seat', t('nav.account')),
  ...to('statistics', 'info', t('nav.statistics')),
  ...to('settings', 'settings', t('nav.settings')),
  ...to('help', 'help', t('nav.help')),
  ...to('verify', 'seal', t('nav.verify')),
  ...(isStaff() ? to('console', 'eye', t('nav.desk')) : []),
  ...(isDealer() ? to('dealer', 'hit', t('nav.dealer')) : []),
  ...(document.fullscreenEnabled
    ? [
        {
          id: 'full',
          icon: 'full' as const,
          label: document.fullscreenElement ? t('nav.full-off') : t('nav.full'),
          onpress: () => void attempt(fullScreen),
        },
      ]
    : []),
  {
    id: 'language',
    icon: 'voice',
    label: t('nav.language'),
    onpress: () => void attempt(() => changeLanguage(reading.language === 'it' ? 'en' : 'it')),
  },
  { id: 'logout', icon: 'back', label: t('nav.logout'), onpress: () => void attempt(leave) },
];
