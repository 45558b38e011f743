import { describeWithControlPlane } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab } from '../testing/lab.js';
import { type Span, layoutAt } from '../testing/layout.js';

/** Where parts of the pages are across, in pixels: all but these fill the column. */
type Across = Readonly<Partial<Record<string, Span>>> & { readonly inside: Span };
const desk: Across = { header: [0, 1440], main: [240, 1200], inside: [264, 1176], '.card': [264, 557] };
const phone: Across = { header: [0, 390], main: [0, 390], inside: [24, 366] };

describeWithControlPlane(
  'the layout of the pages',
  () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await Lab.open();
      await lab.allow('jane', [
        { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['list'] },
        { apiGroups: ['example.com'], resources: ['databases'], verbs: ['list'] },
        { apiGroups: [''], resources: ['events'], verbs: ['list'] },
      ]);
    });
    afterAll(() => lab.close());
    beforeEach(async () => {
      await lab.begin();
      await lab.start();
    });
    afterEach(() => lab.end());

    itInChromium(
      'is as it was meant, on a desk and on a phone',
      async () => {
        const jane = await lab.signIn();
        const namespace = await lab.bind(jane);
        await lab.granted(namespace);
        await lab.connect(namespace, 'db');
        await lab.copy(namespace, 'orders');
        const objects = `/consumers/${namespace}/db`;
        const [, object = ''] =
          /href="([^"]+)">[^<]*<.a><.th>/u.exec((await jane.request(lab.url + objects)).text) ?? [];
        const window = await openWindow();
        try {
          const { page } = window;
          await page.goto(lab.url);
          await window.follow('main a.button');
          const binding = `/bindings/${namespace}/db`;
          for (const [path, parts] of [
            ['/', ['header', 'main', 'h1', '.search', '.cards', '.card']],
            ['/templates/databases', ['header', 'main', 'h1', '.scrolls', '.box']],
            ['/bindings', ['header', 'main', 'h1', '.scrolls']],
            [binding, ['header', 'main', 'h1', '.steps', '.scrolls', '.box']],
            ['/consumers', ['header', 'main', 'h1', '.scrolls']],
            [objects, ['header', 'main', 'h1', '.scrolls']],
            [object, ['header', 'main', 'h1', '.scrolls']],
          ] as const) {
            await page.goto(`${lab.url}${path}`);
            for (const [width, across] of [
              [1440, desk],
              [390, phone],
            ] as const)
              expect([path, await layoutAt(page, width)]).toEqual([
                path,
                parts.map((part) => [part, ...(across[part] ?? across.inside)]),
              ]);
            expect([path, await window.faults()]).toEqual([path, []]);
          }
        } finally {
          await window.close();
        }
      },
      120_000,
    );
  },
  { controllerManager: true },
);
