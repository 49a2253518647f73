import type { ChatModel } from '../types/model.js'
import type { Secrets } from './secrets.js'

const known = new WeakMap<ChatModel, readonly Secrets[]>()

/** Remembers the secrets that a model sends. */
export function withSecretsOf<Model extends ChatModel>(model: Model, secrets: readonly Secrets[]): Model {
  known.set(model, secrets)
  return model
}

/** Returns the secrets of a model. Empty for models from other code. */
export function secretsOf(model: ChatModel): readonly Secrets[] {
  return known.get(model) ?? []
}
