/** How long outages last, and how much fault tests do. */
export type FaultForm = 'short' | 'middle' | 'long';

const VARIABLE = 'FRESNEL_TEST_FAULTS';

/** Chooses by the form of this test run: short, unless `--faults` of `npm test` says otherwise. @throws where it is unknown */
export function byFaultForm<Choice>(choices: Record<FaultForm, Choice>): Choice {
  const form = process.env[VARIABLE] ?? 'short';
  if (!Object.hasOwn(choices, form))
    throw new Error(`${VARIABLE} is ${JSON.stringify(form)}, not short, middle or long`);
  return choices[form as FaultForm];
}
