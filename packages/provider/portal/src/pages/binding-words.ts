import { type ComponentChildren, h } from 'preact';
import type { BindingHealth } from '@hawser/consumer-states';

/** Text and tone of each state. */
export const healthWords: Readonly<Record<BindingHealth, { readonly text: string; readonly tone: string }>> = {
  works: { text: 'Works', tone: 'good' },
  waits: { text: 'Waits', tone: 'open' },
  silent: { text: 'Silent', tone: 'bad' },
  stopped: { text: 'Stopped', tone: 'bad' },
  ended: { text: 'Ended', tone: 'open' },
};

/** A state as a word: the colour adds no information. */
export function badge(health: BindingHealth): ComponentChildren {
  const { text, tone } = healthWords[health];
  return h('span', { class: `badge ${tone}` }, text);
}

/** Formats a time of the API server for people. */
export function timeOf(time: string | undefined): ComponentChildren {
  if (time === undefined || time === '') return 'never';
  return h('time', { dateTime: time }, `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`);
}
