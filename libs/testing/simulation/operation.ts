/** What can happen to an operation besides its execution. */
export interface OperationFaults {
  /** The operation is executed, and its actor gets an error. */
  lostReply?: number;
  /** The operation is not executed, and its actor gets an error. */
  notSent?: number;
  /** Its actor gets an error, and the operation is executed at any later time. */
  late?: number;
  /** The error that the actor gets. */
  error: () => Error;
}

/** A call of an actor to something outside of its process. */
export interface Operation {
  id: number;
  actor: string | null;
  target: string;
  name: string;
  faults: OperationFaults | null;
  execute: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  isReady: () => boolean;
}

/** Who asks for an operation, if not the current actor, and when it can be executed. */
export interface OperationTerms {
  actor?: string;
  isReady?: () => boolean;
}

/** For the trace. */
export function nameOf({ actor, target, name }: Operation): string {
  return `${actor ?? 'nobody'} → ${target}: ${name}`;
}

/** The order of operations that were asked for at the same time: actors ask in an order that may depend on the machine. */
export function compareOperations(one: Operation, other: Operation): number {
  return compareTexts(one.actor ?? '', other.actor ?? '') || one.id - other.id;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
