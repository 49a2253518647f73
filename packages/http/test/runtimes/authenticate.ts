import type { User } from '@capstan/http'

/** In place of a look at a signed token. */
export function authenticate(request: Request): User | undefined {
  return request.headers.get('authorization') === 'Bearer user-ann' ? { id: 'ann' } : undefined
}
