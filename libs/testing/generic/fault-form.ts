/** Selects how long outages last and how many faults occur. */
export type FaultForm = 'short' | 'long';

const VARIABLE = 'FRESNEL_TEST_FAULTS';

/** The choice for the form of this test run: short, or the value of `--faults` of `npm test`. @throws if the form is unknown */
export function byFaultForm<Choices extends Record<FaultForm, unknown>>(choices: Choices): Choices[FaultForm] {
  const form = process.env[VARIABLE] ?? 'short';
  if (form !== 'short' && form !== 'long') throw new Error(`${VARIABLE} is ${JSON.stringify(form)}, not short or long`);
  return choices[form];
}
