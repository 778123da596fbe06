import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@fresnel/domain/primitives';
import { listContainers, listWorkloads, type Manifest, readAppConfig } from '@fresnel/testing/k8s';
import { type Breach, reportBreaches } from './breach';
import { findBreaches } from './find-breaches';
import { listReleases, readReleased } from './released-files';
import { MANIFESTS } from './surfaces';

/** An overlay adds settings to the base. */
const OVERLAYS = Object.keys(MANIFESTS).filter((file) => file !== 'manifests/base.json');

describe.each(listReleases())('the promises of release %s', (release) => {
  it.each(Object.entries(MANIFESTS))('in %s are kept', (file, surface) => {
    expect(findBreaches(release, file, surface)).toBe('');
  });

  it.each(OVERLAYS)('include that apps accept the settings in %s', (file) => {
    const manifests = readReleased(release, file) as Manifest[];
    const secrets = mkdtempSync(join(tmpdir(), 'fresnel-released-'));
    const containers = listWorkloads(manifests).flatMap(({ name, pod }) =>
      listContainers(pod).map((container) => ({ name, container })),
    );
    const breaches = containers.flatMap(({ name, container }): Breach[] => {
      try {
        readAppConfig(container, manifests, secrets);
        return [];
      } catch (error) {
        return [{ of: `container ${container.name} of ${name}`, problem: messageOf(error) }];
      }
    });
    rmSync(secrets, { recursive: true });
    expect(containers).not.toEqual([]);
    expect(reportBreaches(`releases/${release}/${file}`, breaches, true)).toBe('');
  });
});
