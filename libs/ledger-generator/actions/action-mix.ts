import { type Random } from '../random';
import { type TransactionDraft } from '../transaction/draft';
import { type Action, type ActionName, COMPRESSION_ACTIONS, OTHER_ACTIONS } from './catalog';
import { type Stage } from './stage';

/** How often an action is chosen, compared with the others; 0 for never. What is left out keeps its default. */
export type ActionWeights = Partial<Record<ActionName, number>>;

interface WeightedAction {
  name: ActionName;
  act: Action;
  weight: number;
  reportsEvents: boolean;
}

/** Chooses what happens next. */
export class ActionMix {
  private readonly actions: readonly WeightedAction[];

  constructor(weights: ActionWeights) {
    this.actions = DEFAULT_ACTIONS.map((action) => ({ ...action, weight: weights[action.name] ?? action.weight }));
  }

  /** Share of the actions, from 0 to 1, whose transactions involve compression. */
  get compressionShare(): number {
    const total = weightOf(this.actions);
    return total > 0 ? weightOf(this.actions.filter(({ reportsEvents }) => reportsEvents)) / total : 0;
  }

  /** A random action's transaction. One that can do nothing now is replaced; null where none can. */
  perform(stage: Stage): { name: ActionName; draft: TransactionDraft } | null {
    let left = this.actions.filter(({ weight }) => weight > 0);
    while (left.length > 0) {
      const chosen = pickByWeight(left, stage.random);
      const draft = chosen.act(stage);
      if (draft) return { name: chosen.name, draft };
      left = left.filter((action) => action !== chosen);
    }
    return null;
  }
}

function namesOf<Name extends ActionName>(actions: Record<Name, unknown>): Name[] {
  return Object.keys(actions) as Name[];
}

const DEFAULT_ACTIONS: readonly WeightedAction[] = [
  ...namesOf(COMPRESSION_ACTIONS).map((name) => ({ name, ...COMPRESSION_ACTIONS[name], reportsEvents: true })),
  ...namesOf(OTHER_ACTIONS).map((name) => ({ name, ...OTHER_ACTIONS[name], reportsEvents: false })),
];

/** Every action that a mix can hold. */
export const ACTION_NAMES: readonly ActionName[] = DEFAULT_ACTIONS.map(({ name }) => name);

function pickByWeight(actions: readonly WeightedAction[], random: Random): WeightedAction {
  let rest = random.fraction() * weightOf(actions);
  return actions.find(({ weight }) => (rest -= weight) < 0) ?? actions[actions.length - 1];
}

function weightOf(actions: readonly WeightedAction[]): number {
  return actions.reduce((sum, { weight }) => sum + weight, 0);
}
