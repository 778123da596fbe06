import * as loadScripts from './load.scripts';
import { type Script } from './script-runner';
import * as treeScripts from './tree.scripts';

/** All scripts by name, for tools that observe what is sent to Redis. */
export const TREE_SCRIPTS: Readonly<Record<string, Script>> = { ...treeScripts, ...loadScripts };
