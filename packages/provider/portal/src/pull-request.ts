import { type APIServiceExportTemplate, claimId, claimInWords } from '@hawser/kube-bind';
import { type BundleContent, bundleOf, isCredential, yamlOf } from './bundle.js';

/**
 * For a team that changes its cluster by pull requests: all objects except the credential, which belongs in no
 * repository.
 */
export interface PullRequest {
  readonly title: string;
  /** Markdown: the agreement, for reviewers. */
  readonly description: string;
  readonly file: string;
  readonly manifest: string;
}

/** Pure. */
export function pullRequestOf(content: Omit<BundleContent, 'consumer'> & { readonly namespace: string }): PullRequest {
  const { name, template, acceptedClaims, provider, namespace } = content;
  const objects = bundleOf({ ...content, consumer: { namespace, kubeconfig: '' } });
  return {
    title: `Bind ${name} of ${new URL(provider).host}`,
    description: descriptionOf(name, template, acceptedClaims, provider),
    file: `${name}.yaml`,
    manifest: yamlOf(objects.filter((object) => !isCredential(object))),
  };
}

function descriptionOf(
  name: string,
  { metadata, spec }: APIServiceExportTemplate,
  acceptedClaims: readonly string[],
  provider: string,
): string {
  const accepted = (spec.permissionClaims ?? []).filter((claim) => acceptedClaims.includes(claimId(claim)));
  return [
    `Binds template \`${metadata.name}\` of ${provider} as \`${name}\`.`,
    '',
    'Once this is applied, the provider may:',
    '',
    ...spec.resources.map(
      ({ resource, group }) => `- install the API \`${resource}.${group}\`, and write the status of its objects`,
    ),
    ...accepted.map((claim) => `- read and write ${claimInWords(claim)}, in the namespaces with objects of this API`),
    '',
    'An object that is deleted here is deleted at the provider, too, with its data.',
    'The credential is not in this change: it is applied separately, by a one-time code.',
  ].join('\n');
}
