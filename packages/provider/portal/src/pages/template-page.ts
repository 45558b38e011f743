import { type APIServiceExportTemplate, claimInWords, wantsApproval } from '@hawser/kube-bind';
import { type ComponentChildren, h } from 'preact';
import { namePattern } from '../schemas.js';
import { type Flow, queryOfFlow } from './flow.js';
import { formTokenField } from './layout.js';

export interface TemplateView {
  readonly template: APIServiceExportTemplate;
  readonly flow: Flow | undefined;
  readonly formToken: string;
  /** Where people reach the portal. */
  readonly publicUrl: URL;
}

/** What is bound, and what both sides agree to by that, before anything happens. */
export function templatePage(view: TemplateView): ComponentChildren {
  const { template, flow } = view;
  const { spec, metadata } = template;
  return [
    h('p', null, h('a', { href: `/${queryOfFlow(flow)}` }, 'Back to all')),
    h('h1', null, metadata.name),
    spec.description === undefined ? null : h('p', null, spec.description),
    h('h2', null, 'What you get'),
    resourceTable(template),
    h('h2', null, 'What the provider may do in your cluster'),
    ...claims(template),
    h('h2', null, 'What your cluster gets at the provider'),
    h(
      'ul',
      null,
      h('li', null, 'A namespace and an account of its own.'),
      h('li', null, 'It may write the objects above, and read their status.'),
    ),
    h('h2', null, 'What deleting means'),
    h(
      'ul',
      null,
      h('li', null, 'An object that you delete is deleted at the provider, too, with its data.'),
      h(
        'li',
        null,
        'Who unbinds keeps both sides by default: the copies stay at the provider until you or it delete them.',
      ),
    ),
    wantsApproval(template)
      ? h('p', { class: 'box waits' }, 'The provider approves each consumer of this. The binding waits until it has.')
      : null,
    flow === undefined ? terminalHelp(view) : consentForm(view, flow),
  ];
}

function resourceTable({ spec }: APIServiceExportTemplate): ComponentChildren {
  return h(
    'table',
    null,
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['API', 'Versions', 'Scope'].map((text) => h('th', { scope: 'col' }, text)),
      ),
    ),
    h(
      'tbody',
      null,
      spec.resources.map(({ resource, group, versions = [] }) =>
        h(
          'tr',
          null,
          h('td', null, h('code', null, `${resource}.${group}`)),
          h('td', null, versions.length === 0 ? 'all that are served' : versions.join(', ')),
          h('td', null, spec.scope),
        ),
      ),
    ),
  );
}

function claims({ spec }: APIServiceExportTemplate): readonly ComponentChildren[] {
  const { permissionClaims = [], namespaces = [] } = spec;
  const items = [
    'It writes the status of the objects above, and installs their API.',
    ...permissionClaims.map(
      (claim) => `It reads and writes ${claimInWords(claim)}, in the namespaces where you have objects of this API.`,
    ),
    ...(namespaces.length === 0
      ? []
      : [`It makes these namespaces: ${namespaces.map(({ name }) => name).join(', ')}.`]),
  ];
  const readsSecrets = permissionClaims.some(({ group, resource }) => (group ?? '') === '' && resource === 'secrets');
  return [
    h(
      'ul',
      null,
      items.map((text) => h('li', null, text)),
    ),
    h(
      'p',
      { class: 'quiet-text' },
      readsSecrets ? 'It reads no other Secret of yours.' : 'It reads no Secret of yours.',
    ),
  ];
}

function consentForm({ template, formToken }: TemplateView, flow: Flow): ComponentChildren {
  const { name } = template.metadata;
  return h(
    'form',
    { method: 'post', action: `/templates/${encodeURIComponent(name)}${queryOfFlow(flow)}`, class: 'box' },
    formTokenField(formToken),
    h('label', { for: 'name' }, 'Name of the binding in your cluster'),
    h('input', {
      type: 'text',
      id: 'name',
      name: 'name',
      value: name,
      required: true,
      maxLength: 253,
      pattern: namePattern,
    }),
    h('p', { class: 'quiet-text' }, 'Cluster ', h('code', null, flow.consumerId)),
    h('p', null, h('button', { type: 'submit' }, 'Agree and bind')),
  );
}

function terminalHelp({ template, publicUrl }: TemplateView): ComponentChildren {
  const lines = [
    `kubectl bind login ${publicUrl.origin}`,
    `kubectl bind apiservice --template-name ${template.metadata.name} ${template.metadata.name}`,
  ];
  return h(
    'div',
    { class: 'box' },
    h('p', null, 'Bind it from a terminal whose kubectl leads to your cluster:'),
    h('pre', { tabIndex: 0 }, lines.join('\n')),
    h('p', { class: 'quiet-text' }, 'kubectl bind, without more words, brings you back to this page to agree.'),
  );
}
