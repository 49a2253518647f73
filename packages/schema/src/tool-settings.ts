import { CapstanError } from '@capstan/core'

/**
 * Returns the settings of a tool as the application gave them. Those of a promise would be lost silently, approvals
 * included.
 * @throws CapstanError `invalid_tool` for a promise
 */
export function checkedSettings<Settings>(settings: Settings, name: string): Settings {
  if (typeof Object(settings).then !== 'function') return settings
  const message = `Tool "${name}": settings returned a promise. Return the settings themselves.`
  throw new CapstanError('invalid_tool', message, { evidence: { name } })
}
