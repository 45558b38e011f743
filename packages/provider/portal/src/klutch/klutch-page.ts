import { objectKey } from '@hawser/client';
import { type APIServiceExportTemplate, claimToKubeBind } from '@hawser/klutch';
import { claimInWords, groupResourceString, resourceGroupName, wantsApproval } from '@hawser/kube-bind';
import { type ComponentChildren, h } from 'preact';
import { formTokenField } from '../pages/layout.js';
import { type KlutchFlow, queryOfKlutchFlow } from './klutch-flow.js';

export interface KlutchView {
  readonly templates: readonly APIServiceExportTemplate[];
  readonly flow: KlutchFlow;
  readonly formToken: string;
}

/** Shows the Klutch templates that a person may bind, and both sides' agreement, before anything happens. */
export function klutchPage({ templates, flow, formToken }: KlutchView): ComponentChildren {
  return [
    h('h1', null, 'What you can bind'),
    h(
      'p',
      { class: 'box waits' },
      'kubectl bind waits in your terminal, for cluster ',
      h('code', null, flow.clusterId),
      '. Choose what it binds.',
    ),
    ...(templates.length === 0 ? [h('p', null, NOTHING)] : AGREED),
    ...templates.map((template) => offer(template, flow, formToken)),
  ];
}

const NOTHING =
  'Nothing is offered to you. The administrator of this provider has to give you the verb bind on a template of Klutch.';

const AGREED: readonly ComponentChildren[] = [
  h('h2', null, 'What each side agrees to'),
  h(
    'ul',
    null,
    h(
      'li',
      null,
      'Your cluster gets a namespace and an account of its own at the provider. It may write the objects of what you bind, and read their status.',
    ),
    h('li', null, 'The provider installs the API in your cluster, and writes the status of your objects.'),
    h('li', null, 'What it may do besides stands below. kubectl bind asks you about each in the terminal.'),
    h('li', null, 'An object that you delete is deleted at the provider, too, with its data.'),
  ),
];

function offer(template: APIServiceExportTemplate, flow: KlutchFlow, formToken: string): ComponentChildren {
  const key = objectKey(template);
  const name = resourceGroupName(template.spec.APIServiceSelector);
  const claims = template.spec.permissionClaims ?? [];
  return h(
    'form',
    { method: 'post', action: `/bind${queryOfKlutchFlow(flow)}`, class: 'box' },
    formTokenField(formToken),
    h('input', { type: 'hidden', name: 'template', value: key }),
    h('h2', null, name),
    h('p', { class: 'quiet-text' }, 'Template ', h('code', null, key)),
    claims.length === 0
      ? h('p', null, 'The provider asks for nothing besides.')
      : [
          h('p', null, 'The provider wants to read and write:'),
          h(
            'ul',
            null,
            claims.map((claim) => h('li', null, inWords(claim))),
          ),
        ],
    wantsApproval(template)
      ? h('p', null, 'The provider approves each consumer of this API. Until then the binding waits.')
      : null,
    h('p', null, h('button', { type: 'submit' }, `Agree and bind ${name}`)),
  );
}

function inWords(claim: Parameters<typeof claimToKubeBind>[0]): string {
  const translated = claimToKubeBind(claim);
  // A claim that may be wider is described as the whole.
  return translated === undefined ? `all ${groupResourceString(claim)}` : claimInWords(translated.claim);
}
