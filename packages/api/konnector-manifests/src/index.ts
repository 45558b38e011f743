export {
  type HostAlias,
  type KonnectorInstallation,
  type KonnectorStanding,
  isImage,
  konnectorDeployment,
  konnectorManifests,
  resourceOf,
  standingOf,
} from './manifests.js';
