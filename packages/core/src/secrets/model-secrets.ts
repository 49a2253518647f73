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

/** Collects user names and passwords of proxies from an agent, wherever the common packages store them. */
export function collectProxySecrets(agent: unknown, secrets: Secrets): void {
  for (const [name, value] of fieldsOf(agent)) {
    if (/prox|option|connect/i.test(name)) collectFrom(value, secrets, 0)
  }
}

function collectFrom(value: unknown, secrets: Secrets, depth: number): void {
  if (value instanceof URL || typeof value === 'string') secrets.learnAddress(String(value))
  if (depth > maxDepth) return
  for (const [name, inner] of fieldsOf(value)) {
    if (/auth|pass|secret|token/i.test(name)) addLogin(inner, secrets)
    collectFrom(inner, secrets, depth + 1)
  }
}

const maxDepth = 3

/** Adds `user:password`, a password, or a header value. */
function addLogin(value: unknown, secrets: Secrets): void {
  if (typeof value !== 'string') return
  secrets.add(value)
  const colon = value.indexOf(':')
  if (colon > 0) secrets.addLogin(value.slice(0, colon), value.slice(colon + 1))
}

/** Returns the own data properties, with symbols by their description. */
function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  return Reflect.ownKeys(value).map((key) => [
    typeof key === 'symbol' ? (key.description ?? '') : key,
    Reflect.getOwnPropertyDescriptor(value, key)?.value,
  ])
}
