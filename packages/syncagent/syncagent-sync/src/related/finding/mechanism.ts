import type { RelatedObjectSpec } from '@hawser/syncagent-api';
import type { EntryContext } from '../entry-context.js';
import { compileRewrite, type Rewrite } from '../selector/rewrite.js';
import { type TemplatedSelector, templatedSelector } from '../selector/templated-selector.js';
import { type Pairing, referencePairing, templatePairing } from './pairing.js';

/** How names are found: from the primary object, or by labels. */
export type Mechanism =
  | { readonly kind: 'pairing'; readonly field: string; readonly pair: Pairing }
  | {
      readonly kind: 'selector';
      readonly field: string;
      readonly select: TemplatedSelector;
      readonly rewrite: Rewrite;
    };

/** The first of reference, selector and template wins (spec/api-syncagent.md §2.8). */
export function compileMechanism(
  { reference, selector, template }: RelatedObjectSpec,
  path: string,
  context: EntryContext,
): Mechanism | undefined {
  context.findings.exactlyOne(path, { reference, selector, template });
  if (reference !== undefined)
    return pairing(`${path}.reference`, referencePairing(reference, `${path}.reference`, context));
  if (selector !== undefined) {
    const field = `${path}.selector`;
    const select = templatedSelector(selector, field, context);
    const rewrite = compileRewrite(selector.rewrite, `${field}.rewrite`, context);
    return select === undefined || rewrite === undefined ? undefined : { kind: 'selector', field, select, rewrite };
  }
  return template === undefined
    ? undefined
    : pairing(`${path}.template`, templatePairing(template, `${path}.template`, context));
}

const pairing = (field: string, pair: Pairing | undefined): Mechanism | undefined =>
  pair === undefined ? undefined : { kind: 'pairing', field, pair };
