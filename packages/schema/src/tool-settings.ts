import { CapstanError } from '@capstan/core'

/**
 * Checks the settings that an application's `settings` function returned for a tool, and returns them. A promise is
 * rejected, because its settings, such as approvals, would silently be lost.
 * @throws CapstanError `invalid_tool` if the settings are a promise
 */
export function checkedSettings<Settings>(settings: Settings, name: string): Settings {
  if (typeof Object(settings).then !== 'function') return settings
  const message = `Tool "${name}": settings returned a promise. Return an object.`
  throw new CapstanError('invalid_tool', message, { evidence: { name } })
}
