import { chain } from '../async.js'
import { checkOptionNames } from '../option-names.js'
import type { Middleware, ModelCall, RunView } from '../run/middleware.js'
import type { ChatModel } from '../types/model.js'

/** Chooses the model of a request; undefined keeps the usual one. */
export type ChooseModel<Context = unknown> = (
  call: ModelCall,
  run: RunView<Context>,
) => ChatModel | undefined | Promise<ChatModel | undefined>

/**
 * Chooses the model of each request: a small one for the first steps, a strong one after a failed call. The run option
 * `model` replaces the chosen model as well. Costs need a price for each model. After a crash the model of an
 * interrupted request is chosen again: let the choice depend on the call and the run only.
 * @throws CapstanError `invalid_request` for a value that is not a function; a chosen value that is not a ChatModel is
 * an error of the request
 */
export function modelPerStep<Context = unknown>(choose: ChooseModel<Context>): Middleware<Context> {
  checkOptionNames({ choose }, { choose: 'a function' }, { of: 'modelPerStep', required: 'choose' })
  return {
    name: 'model-per-step',
    beforeModel: (call, run) => chain(choose(call, run), (model) => (model ? { model } : undefined)),
  }
}
