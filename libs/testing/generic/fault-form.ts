/** Selects how long outages last and how many faults occur. */
export type FaultForm = 'short' | 'middle' | 'long';

const VARIABLE = 'FRESNEL_TEST_FAULTS';

/** The choice for the form of this test run: short, or the value of `--faults` of `npm test`. @throws if the form is unknown */
export function byFaultForm<Choice>(choices: Record<FaultForm, Choice>): Choice {
  const form = process.env[VARIABLE] ?? 'short';
  if (!Object.hasOwn(choices, form))
    throw new Error(`${VARIABLE} is ${JSON.stringify(form)}, not short, middle or long`);
  return choices[form as FaultForm];
}
