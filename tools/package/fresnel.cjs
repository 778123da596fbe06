#!/usr/bin/env node
// Runs Fresnel in one process from the npm package. The syntax is one that old versions of Node can read.

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`fresnel: Node ${process.versions.node} is too old: 20.19 or later is required`);
  process.exit(1);
}
require('../dist/apps/standalone/main.js');
