import { type ComponentChildren, h } from 'preact';
import type { AwaitedBundle, BundleOffer } from '../bundles.js';
import { bindingPath } from './bindings-page.js';
import { formTokenField } from './layout.js';

export interface BundleView {
  readonly offer: BundleOffer | AwaitedBundle;
  readonly formToken: string;
  /** Whether the portal applies it with a kubeconfig of the person. */
  readonly applies: boolean;
}

/** Shows the bundle for the person's cluster, after binding here. */
export function bundlePage({ offer, formToken, applies }: BundleView): ComponentChildren {
  const { binding, code, command, konnectorCommand, expires } = offer;
  return [
    h(
      'h1',
      null,
      'serviceAccount' in offer
        ? `Bring ${binding} to your cluster`
        : `${binding} is bound. Now bring it to your cluster.`,
    ),
    h(
      'p',
      null,
      'Your cluster needs one YAML file: a Secret with a credential, the binding, and the rights of the konnector. This code gives it to you once, until ',
      h('time', { dateTime: expires }, `${expires.slice(11, 16)} UTC`),
      '.',
    ),
    ...(konnectorCommand === undefined ? [] : konnectorFirst(konnectorCommand)),
    h('h2', null, 'With a command'),
    h(
      'p',
      null,
      'Run it with a kubectl that reaches your cluster. It asks for the code. Paste the code, and press Enter.',
    ),
    h('pre', { tabIndex: 0, 'aria-label': 'Command' }, command),
    h('p', null, 'The code:'),
    h('pre', { class: 'code', tabIndex: 0, 'aria-label': 'Code' }, code),
    ...('serviceAccount' in offer
      ? [proves(offer), applies ? byPortal(offer, formToken) : null]
      : [...byFile(offer, formToken), applies ? byPortal(offer, formToken) : null, reviewed(offer), farther(offer)]),
    h(
      'p',
      { class: 'quiet-text' },
      'The konnector has to run in your cluster. Nothing changes there before you apply the file.',
    ),
  ];
}

/** Text for a cluster that must first show its own token. */
function proves({ serviceAccount }: AwaitedBundle): ComponentChildren {
  return h(
    'p',
    { class: 'box waits' },
    'This provider takes your cluster on by a token of its own alone. The command makes one of ServiceAccount ',
    h('code', null, serviceAccount),
    ', for this portal and ten minutes, and sends it along. You need the right to create such tokens. It is bound by then, and not before.',
  );
}

function byFile({ binding, code }: BundleOffer, formToken: string): readonly ComponentChildren[] {
  return [
    h('h2', null, 'Or with a file'),
    h(
      'form',
      { method: 'post', action: '/bundle', class: 'box' },
      formTokenField(formToken),
      h('input', { type: 'hidden', name: 'code', value: code }),
      h(
        'p',
        null,
        'Apply it with ',
        h('code', null, `kubectl apply --server-side -f ${binding}.yaml`),
        ', and delete it.',
      ),
      h('button', { type: 'submit' }, 'Download the file'),
    ),
  ];
}

function byPortal({ binding, code }: Pick<BundleOffer, 'binding' | 'code'>, formToken: string): ComponentChildren {
  return h(
    'details',
    null,
    h('summary', null, 'Or have it applied'),
    h(
      'p',
      null,
      'The portal applies it with a kubeconfig of yours. It uses the kubeconfig once and keeps nothing of it. Whoever runs the portal could read it: hand over one that ends soon, with no more rights than this needs.',
    ),
    h(
      'form',
      { method: 'post', action: '/bundle/apply', class: 'box' },
      formTokenField(formToken),
      h('input', { type: 'hidden', name: 'code', value: code }),
      h('input', { type: 'hidden', name: 'binding', value: binding }),
      h('label', { for: 'kubeconfig' }, 'Kubeconfig'),
      h('textarea', {
        id: 'kubeconfig',
        name: 'kubeconfig',
        rows: 8,
        required: true,
        autoComplete: 'off',
        autoCapitalize: 'none',
        spellCheck: false,
      }),
      h(
        'p',
        { class: 'quiet-text' },
        'With a token, or a client certificate and key, in it. Programs (exec), files, proxies and unverified servers are refused.',
      ),
      h('p', null, h('button', { type: 'submit' }, 'Apply it')),
    ),
  );
}

/** Shown after the portal has applied it. */
export function appliedPage(binding: string): ComponentChildren {
  return [
    h('h1', null, `${binding} is applied in your cluster`),
    h('p', null, 'The konnector goes on from here.'),
    h('p', null, h('a', { class: 'button', href: '/bindings' }, 'See how far it is')),
  ];
}

function farther({ binding, providerNamespace }: BundleOffer): ComponentChildren {
  return h(
    'p',
    null,
    h('a', { href: bindingPath({ namespace: providerNamespace, name: binding }) }, 'See how far it is'),
  );
}

/** For a cluster changed only by pull requests. */
function reviewed({
  pullRequest: { title, description, file, manifest },
  credentialCommand,
}: BundleOffer): ComponentChildren {
  const block = (label: string, text: string): ComponentChildren =>
    h('pre', { tabIndex: 0, 'aria-label': label }, text);
  return h(
    'details',
    null,
    h('summary', null, 'Or by a pull request'),
    h(
      'p',
      null,
      'Add this as ',
      h('code', null, file),
      ' to the repository of your cluster. There is no credential in it.',
    ),
    block('Manifest', manifest),
    h('p', null, 'Title and description of the pull request:'),
    block('Title', title),
    block('Description', description),
    h(
      'p',
      null,
      'Bring the credential to your cluster by this command, within ten minutes, with the code from above. Until the pull request is merged, it binds nothing.',
    ),
    block('Command for the credential', credentialCommand),
  );
}

/** Not needed for a cluster with a konnector. */
function konnectorFirst(command: string): readonly ComponentChildren[] {
  return [
    h('h2', null, 'First, the konnector'),
    h(
      'p',
      null,
      'If none runs in your cluster yet, install it. It may do nothing there but what each binding grants it. Read the file before you apply it, and wait until its pods are ready.',
    ),
    h('pre', { tabIndex: 0, 'aria-label': 'Command for the konnector' }, command),
  ];
}
