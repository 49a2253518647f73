// Authenticates a request. Replace it by a session, a signed token or a table of keys.
import type { User } from '@capstan/http'

export function authenticate(request: Request): User | undefined {
  const [, id] = /^Bearer user-(\w+)$/.exec(request.headers.get('authorization') ?? '') ?? []
  return id === undefined ? undefined : { id }
}
