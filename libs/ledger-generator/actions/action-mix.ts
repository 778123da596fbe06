import { type Random } from '../random';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type Action, ACTIONS } from './action-catalog';
import { ACTION_NAMES, type ActionName, isCompressionAction } from './action-name';
import { type GenerationContext } from './generation-context';

/** How often an action is chosen, relative to the others; 0 for never. Omitted actions keep their default weight. */
export type ActionWeights = Partial<Record<ActionName, number>>;

interface WeightedAction {
  name: ActionName;
  act: Action;
  weight: number;
}

/** Chooses the action of the next transaction by weight. */
export class ActionMix {
  private readonly actions: readonly WeightedAction[];

  constructor(weights: ActionWeights) {
    this.actions = ACTION_NAMES.map((name) => ({
      name,
      act: ACTIONS[name].act,
      weight: weights[name] ?? ACTIONS[name].weight,
    }));
  }

  /** Share of the actions, from 0 to 1, whose transactions report events. */
  get compressionShare(): number {
    const total = totalWeight(this.actions);
    return total > 0 ? totalWeight(this.actions.filter(({ name }) => isCompressionAction(name))) / total : 0;
  }

  /**
   * Builds a transaction of a random action. An action that the state of the chain does not allow is replaced by another
   * one; null when none is possible.
   */
  drawTransaction(context: GenerationContext): { name: ActionName; draft: TransactionDraft } | null {
    let candidates = this.actions.filter(({ weight }) => weight > 0);
    while (candidates.length > 0) {
      const chosen = pickByWeight(candidates, context.random);
      const draft = chosen.act(context);
      if (draft) return { name: chosen.name, draft };
      candidates = candidates.filter((action) => action !== chosen);
    }
    return null;
  }
}

function pickByWeight(actions: readonly WeightedAction[], random: Random): WeightedAction {
  let rest = random.fraction() * totalWeight(actions);
  return actions.find(({ weight }) => (rest -= weight) < 0) ?? actions[actions.length - 1];
}

function totalWeight(actions: readonly WeightedAction[]): number {
  return actions.reduce((sum, { weight }) => sum + weight, 0);
}
