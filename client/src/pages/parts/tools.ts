import type { HeadTool } from '../../parts/room/ToolRow.svelte';
import { t } from '../../words/words.svelte';

export const headTools = (): HeadTool[] => [
  { id: 'chat', icon: 'chat', label: t('tool.chat'), on: true, news: t('tool.news') },
  { id: 'history', icon: 'history', label: t('tool.history') },
  { id: 'settings', icon: 'settings', label: t('tool.settings') },
  { id: 'audio', icon: 'audio', label: t('tool.audio') },
  { id: 'focus', icon: 'focus', label: t('tool.focus') },
  { id: 'full', icon: 'full', label: t('tool.full') },
  { id: 'help', icon: 'help', label: t('tool.help') },
  { id: 'lobby', icon: 'lobby', label: t('tool.lobby'), apart: true },
  { id: 'cashier', icon: 'cashier', label: t('tool.cashier') },
];

export const phoneTools = (): HeadTool[] => [
  { id: 'chat', icon: 'chat', label: t('tool.chat'), news: t('tool.news') },
  { id: 'safe', icon: 'safe', label: t('house.responsible') },
  { id: 'menu', icon: 'menu', label: t('tool.menu') },
];
