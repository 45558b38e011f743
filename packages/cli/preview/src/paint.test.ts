import { describe, expect, it } from '@jest/globals';

import { type Judged, type Paint, whyParagraph, whyTable } from './index.js';

const paint: Paint = (tone, text) => `<${tone}>${text}</>`;
const held: Judged = {
  name: 'Database a/b',
  standing: 'held',
  finding: { reason: 'WriteRefused', message: 'No.', actor: 'provider' },
};

describe('what is said of objects', () => {
  it('has the tone of its standing', () => {
    expect(whyParagraph(held, undefined, paint)).toBe(
      'Database a/b <bad>is not in step</>.\n  <bad>WriteRefused</>: No.\n  who acts: the provider',
    );
    expect(whyParagraph({ name: 'Database a/b', standing: 'inStep' }, undefined, paint)).toBe(
      'Database a/b <good>is in step</>.',
    );
  });

  it('keeps its columns', () => {
    const painted = whyTable(
      [
        held,
        {
          name: 'Database a/longer',
          standing: 'underWay',
          finding: { reason: 'UnderWay', message: 'Soon.', actor: 'nobody' },
        },
      ],
      1,
      3,
      paint,
    );
    expect(painted).toContain('<bad>WriteRefused</>  provider');
    expect(painted).toContain('<warning>UnderWay</>      nobody');
    expect(painted).toContain('<bad>1 of 3 objects in step.</>');
    expect(whyTable([], 3, 3, paint)).toBe('<good>3 of 3 objects in step.</>');
    expect(painted.replace(/<[^>]*>/gu, '')).toBe(
      whyTable(
        [
          held,
          {
            name: 'Database a/longer',
            standing: 'underWay',
            finding: { reason: 'UnderWay', message: 'Soon.', actor: 'nobody' },
          },
        ],
        1,
        3,
      ),
    );
  });
});
