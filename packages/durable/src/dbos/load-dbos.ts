import { CapstanError } from '@capstan/core'

export type Dbos = typeof import('@dbos-inc/dbos-sdk')
export type Pg = typeof import('pg')

/** The engine and its driver, which only those install who use them. @throws CapstanError `unsupported` */
export async function loadDbos(): Promise<{ readonly dbos: Dbos; readonly pg: Pg }> {
  try {
    const [dbos, pg] = await Promise.all([import('@dbos-inc/dbos-sdk'), import('pg')])
    return { dbos, pg: (pg as Pg & { readonly default?: Pg }).default ?? pg }
  } catch (cause) {
    const message = '@capstan/durable/dbos needs two packages: npm install @dbos-inc/dbos-sdk pg'
    throw new CapstanError('unsupported', message, { cause })
  }
}
