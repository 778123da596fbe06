import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { KUSTOMIZATIONS, type Manifest, ROOT } from './manifests';

export interface OverlayOptions {
  namespace: string;
  /** Settings of the apps besides those of the overlay. */
  settings?: Record<string, string>;
  /** JSON file with the trees to index, for TREES_FILE. */
  treesFile?: string;
  /** Merge patches of manifests. */
  patches?: readonly object[];
  /** Further manifests. */
  resources?: readonly object[];
  /** Folders of k8s/components, each with the texts to replace in its files, as an operator replaces names in a copy. */
  components?: Record<string, Record<string, string>>;
  /** Tag of the image of the apps, instead of `local`. */
  imageTag?: string;
  /** The manifests of a release, rendered from its local overlay, to begin with. */
  released?: readonly Manifest[];
}

/** Kustomize adds a digest of its content to the name of a ConfigMap. */
const CONTENT_DIGEST = /\b(fresnel)-[0-9a-z]{10}\b/g;

/**
 * Writes a kustomization of the local overlay in a namespace, and has it used.
 *
 * @param use gets its folder, which is deleted afterwards
 */
export async function withOverlay<Result>(
  options: OverlayOptions,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-k8s-'));
  try {
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization(folder, options)));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function kustomization(folder: string, options: OverlayOptions): object {
  const { namespace, settings = {}, treesFile, patches = [], components = {}, imageTag = 'local' } = options;
  const literals = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace,
    resources: writeResources(folder, options),
    components: Object.entries(components).map(([name, names]) => copyComponent(folder, name, names)),
    images: [{ name: 'fresnel', newTag: imageTag }],
    configMapGenerator: literals.length > 0 ? [{ name: 'fresnel', behavior: 'merge', literals }] : [],
    patches: [...(treesFile === undefined ? [] : [TREES_PATCH]), ...patches].map((patch) => ({
      patch: JSON.stringify(patch),
    })),
  };
}

function writeResources(folder: string, { released, resources = [] }: OverlayOptions): string[] {
  const write = (file: string, items: readonly object[]) => {
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    writeFileSync(join(folder, file), text.replace(CONTENT_DIGEST, '$1'));
    return file;
  };
  const base = released
    ? write('released.yaml', released.map(withoutNamespace))
    : relative(folder, KUSTOMIZATIONS.local);
  return resources.length > 0 ? [base, write('resources.yaml', resources)] : [base];
}

/** Kustomize merges settings only into a ConfigMap of the same namespace. */
function withoutNamespace({ metadata, ...manifest }: Manifest): object {
  return { ...manifest, metadata: { ...metadata, namespace: undefined } };
}

/** @returns the copy */
function copyComponent(folder: string, name: string, names: Record<string, string>): string {
  const copy = join(folder, name);
  mkdirSync(copy);
  cpSync(join(ROOT, 'k8s', 'components', name), copy, { recursive: true });
  for (const file of readdirSync(copy)) {
    const text = Object.entries(names).reduce(
      (changed, [from, to]) => changed.replaceAll(from, to),
      readFileSync(join(copy, file), 'utf8'),
    );
    writeFileSync(join(copy, file), text);
  }
  return name;
}

/** Mounts the trees for ingest. */
const TREES_PATCH = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'ingest' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'app',
            env: [{ name: 'TREES_FILE', value: '/trees/trees.json' }],
            volumeMounts: [{ name: 'trees', mountPath: '/trees', readOnly: true }],
          },
        ],
        volumes: [{ name: 'trees', configMap: { name: 'trees' } }],
      },
    },
  },
};
