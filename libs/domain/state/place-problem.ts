import { type FindingReason } from '@fresnel/domain/chain';

/** Why it is not known where in history a transaction belongs, although all of it is known. */
const PLACE_PROBLEMS = ['order-unknown', 'signature-in-two-slots'] as const satisfies readonly FindingReason[];
export type PlaceProblem = (typeof PLACE_PROBLEMS)[number];

/** Writes the reason of a dead letter. A transaction with it has no events: at a wrong place they would spoil its trees. */
export function writePlaceProblem(problem: PlaceProblem, detail: string): string {
  return `${problem}: ${detail}`;
}

/** Reads such a reason; null for others. */
export function readPlaceProblem(reason: string): PlaceProblem | null {
  return PLACE_PROBLEMS.find((problem) => reason.startsWith(`${problem}: `)) ?? null;
}
