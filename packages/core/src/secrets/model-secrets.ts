import type { ChatModel } from '../types/model.js'
import type { Secrets } from './secrets.js'

const known = new WeakMap<ChatModel, readonly Secrets[]>()

/** Remembers what a model sends and nobody must be told. */
export function withSecretsOf<Model extends ChatModel>(model: Model, secrets: readonly Secrets[]): Model {
  known.set(model, secrets)
  return model
}

/** The same again; nothing is known of a model that somebody else made. */
export function secretsOf(model: ChatModel): readonly Secrets[] {
  return known.get(model) ?? []
}
