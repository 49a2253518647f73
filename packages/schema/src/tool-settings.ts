import { CapstanError } from '@capstan/core'

/**
 * Returns a tool's settings as the application passed them. A promise's settings would be lost silently, including
 * approvals.
 * @throws CapstanError `invalid_tool` for a promise
 */
export function checkedSettings<Settings>(settings: Settings, name: string): Settings {
  if (typeof Object(settings).then !== 'function') return settings
  const message = `Tool "${name}": settings returned a promise. Return the settings themselves.`
  throw new CapstanError('invalid_tool', message, { evidence: { name } })
}
