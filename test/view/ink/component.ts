import {readFileSync} from 'node:fs';
import {cleanup, render} from 'ink-testing-library';
import type {ReactElement} from 'react';
import {afterEach, vi} from 'vitest';
import {PackedNode} from '../../../src/services/dashboard/packed-node.js';
import {ClusterModel} from '../../../src/snapshot/cluster.js';
import {snapshotDocument} from '../../../src/snapshot/document.js';
import type {NodeEntry} from '../../../src/view/ink/dashboard/dashboard-state.js';
import {entryOf} from '../../../src/view/ink/dashboard/fleet-screen.js';

afterEach(cleanup);

/** A component on a screen of 100 columns, with a keyboard. */
export function onScreen(component: ReactElement) {
  const {lastFrame, stdin} = render(component);
  const frame = () => lastFrame() ?? '';
  /** Waits until the screen shows a text. */
  const shows = (pattern: RegExp) =>
    vi.waitFor(() => {
      if (!pattern.test(frame())) throw new Error(`${pattern} is not on the screen:\n${frame()}`);
      return frame();
    }, 20_000);
  return {frame, shows, press: (keys: string) => stdin.write(keys)};
}

/** A node of a case as the dashboard has it after reading. */
export function entryFrom(file: string, change: (json: string) => string = json => json): NodeEntry {
  const json = change(readFileSync(new URL(`../../fixtures/cases/${file}.json`, import.meta.url), 'utf8'));
  const document = snapshotDocument.parse(JSON.parse(json));
  const [[name, dump] = ['', {sections: {}, errors: {}}]] = Object.entries(document.nodes);
  return entryOf(new PackedNode(name, dump, {cluster: new ClusterModel(document.cluster?.objects), suppressions: []}));
}
