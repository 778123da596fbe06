#!/usr/bin/env node
// Runs Fresnel in one process from a checkout.

import { runApp } from '../tools/run-app.mjs';

await runApp('standalone');
