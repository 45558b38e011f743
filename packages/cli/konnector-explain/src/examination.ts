import { type Paint, type Tone, plain } from '@hawser/preview';
import type { ReasonActor } from '@hawser/reasons';

/** Areas in order: later ones depend on earlier ones. */
export const areas = [
  'secret',
  'connection',
  'konnector',
  'clock',
  'version',
  'rights',
  'schema',
  'namespaces',
  'objects',
  'provider',
] as const;
export type Area = (typeof areas)[number];

/** `unknown`: an earlier area is not in order or not readable. */
export type ExaminationState = 'ok' | 'warning' | 'failed' | 'unknown';

/** Result of one examination. */
export interface Examination {
  readonly area: Area;
  /** `APIServiceBinding databases`, `consumer`, … */
  readonly subject: string;
  readonly state: ExaminationState;
  readonly message: string;
  /** Who must act, and how; absent if no action is due. */
  readonly actor?: ReasonActor | undefined;
  readonly remedy?: string | undefined;
}

/** Whether no action is needed. */
export function isHealthy(examinations: readonly Examination[]): boolean {
  return examinations.every(({ state }) => state === 'ok' || state === 'warning');
}

/** One line for each examination, and the actor below it. */
export function examinationText(examinations: readonly Examination[], paint: Paint = plain): string {
  const lines = areas.flatMap((area) => {
    const found = examinations.filter((one) => one.area === area);
    return found.length === 0 ? [] : [area, ...found.flatMap((one) => lineOf(one, paint))];
  });
  return [
    ...lines,
    '',
    isHealthy(examinations) ? paint('good', 'Nobody has to act.') : paint('bad', summary(examinations)),
  ].join('\n');
}

const MARKS: Readonly<Record<ExaminationState, string>> = {
  ok: '[ok]',
  warning: '[--]',
  failed: '[!]',
  unknown: '[?]',
};

const TONES: Readonly<Record<ExaminationState, Tone>> = {
  ok: 'good',
  warning: 'warning',
  failed: 'bad',
  unknown: 'warning',
};

function lineOf({ subject, state, message, actor, remedy }: Examination, paint: Paint): readonly string[] {
  const line = `  ${paint(TONES[state], MARKS[state])}${' '.repeat(5 - MARKS[state].length)}${subject}: ${message}`;
  return actor === undefined || actor === 'nobody'
    ? [line]
    : [line, `       who acts: the ${actor}${remedy === undefined || remedy === '' ? '' : ` (${remedy})`}`];
}

function summary(examinations: readonly Examination[]): string {
  const actors = [
    ...new Set(
      examinations.flatMap(({ state, actor }) =>
        (state === 'failed' || state === 'unknown') && actor !== undefined && actor !== 'nobody' ? [actor] : [],
      ),
    ),
  ];
  return actors.length === 0
    ? 'Something is not in order; it passes by itself, or cannot be told from here.'
    : `Who must act: the ${actors.join(', the ')}.`;
}
