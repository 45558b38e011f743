import { crdFromDefinition, type CustomResourceDefinition } from '@hawser/crd';
import { apiGroup } from '../group.js';
import { publishedResourceKind } from '../kinds/published-resource.js';

/** The CRD of PublishedResources: the reference's, plus more status fields and printer columns. */
export const publishedResourceCRD: CustomResourceDefinition = crdFromDefinition(apiGroup, publishedResourceKind);

/** The CRDs that a service cluster needs. */
export const crds: readonly CustomResourceDefinition[] = [publishedResourceCRD];
