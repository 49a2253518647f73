import type { LedgerAmounts, LedgerAnswer, LedgerGrant, LedgerReservation, LedgerStore } from '@capstan/core'
import {
  addAmounts,
  checkAmounts,
  checkReservation,
  decideReservation,
  ledgerWindow,
} from '@capstan/core/internal'
import type { Dialect, Statement, Steps, TransactionalDatabase } from './database.js'
import { everyMinute } from './every-minute.js'

/**
 * Creates a ledger in an SQL database. An account's usage in a window is stored in one row. Locking that row makes
 * concurrent changes wait.
 */
export function sqlLedger(db: TransactionalDatabase): LedgerStore {
  const sweep = everyMinute(() => db.batch(sweepStatements(db.sql)))
  return {
    async reserve(given) {
      checkReservation(given)
      const reservation = structuredClone(given)
      await sweep()
      for (;;) {
        try {
          return await db.transaction(() => reserveSteps(db.sql, reservation))
        } catch (error) {
          // Another account has just reserved with the same id. The next attempt finds that reservation.
          if (!db.isRace(error)) throw error
        }
      }
    },
    async settle(id, spent) {
      checkAmounts(spent)
      const amounts = structuredClone(spent)
      await db.transaction(() => settleSteps(db.sql, id, amounts))
    },
  }
}

function* reserveSteps(sql: Dialect, reservation: LedgerReservation): Steps<LedgerAnswer> {
  const { id, account, per, reserveMs } = reservation
  const [windows, reservations] = [sql.table('ledger_windows'), sql.table('ledger_reservations')]
  const [clock] = yield { text: `SELECT ${sql.now} AS now`, values: [] }
  const now = Number(clock?.now)
  const window = ledgerWindow(per, now)
  const of = [account, JSON.stringify([per, window.start])] as const
  const endsAt = toTime(window.end)
  const [row] = yield {
    text: `INSERT INTO ${windows} AS w (account, period, ends_at, used) VALUES (?, ?, ?, '{}') ON CONFLICT (account, period) DO UPDATE SET used = w.used RETURNING used`,
    values: [...of, endsAt],
  }
  const [known] = yield { text: `SELECT granted FROM ${reservations} WHERE id = ?`, values: [id] }
  if (known) return JSON.parse(String(known.granted)) as LedgerGrant
  const used = JSON.parse(String(row?.used)) as LedgerAmounts
  const answer = decideReservation(reservation, { used, window })
  if (!answer.granted) {
    const waiting = yield {
      text: `SELECT granted, until FROM ${reservations} WHERE account = ? AND period = ? AND is_settled = 0 AND until > ?`,
      values: [...of, now],
    }
    const open = waiting.map(({ granted, until }) => {
      const { reserved } = JSON.parse(String(granted)) as LedgerGrant
      return { reserved, until: Number(until) }
    })
    return decideReservation(reservation, { used, window, open })
  }
  yield setUsed(windows, of, addAmounts(used, answer.reserved))
  yield {
    text: `INSERT INTO ${reservations} (id, account, period, ends_at, granted, until, is_settled) VALUES (?, ?, ?, ?, ?, ?, 0) RETURNING id`,
    values: [id, ...of, endsAt, JSON.stringify(answer), toTime(now + reserveMs)],
  }
  return answer
}

function* settleSteps(sql: Dialect, id: string, spent: LedgerAmounts): Steps<void> {
  const [windows, reservations] = [sql.table('ledger_windows'), sql.table('ledger_reservations')]
  const [found] = yield {
    text: `UPDATE ${reservations} SET is_settled = 1 WHERE id = ? AND is_settled = 0 RETURNING account, period, granted`,
    values: [id],
  }
  if (!found) return
  const of = [String(found.account), String(found.period)] as const
  // Lock the row, as `setUsed` does, and read what the last transaction wrote.
  const [row] = yield {
    text: `UPDATE ${windows} SET used = used WHERE account = ? AND period = ? RETURNING used`,
    values: of,
  }
  if (!row) return
  const { reserved } = JSON.parse(String(found.granted)) as LedgerGrant
  const rest = addAmounts(JSON.parse(String(row.used)) as LedgerAmounts, reserved, -1)
  yield setUsed(windows, of, addAmounts(rest, spent))
}

function setUsed(windows: string, of: readonly [string, string], used: LedgerAmounts): Statement {
  return {
    text: `UPDATE ${windows} SET used = ? WHERE account = ? AND period = ? RETURNING period`,
    values: [JSON.stringify(used), ...of],
  }
}

/**
 * Returns the statements that delete old windows and reservations. Windows are kept for a minute after their end, so
 * that reservations can still be settled.
 */
function sweepStatements({ table, now }: Dialect): readonly Statement[] {
  return [
    {
      text: `DELETE FROM ${table('ledger_reservations')} WHERE ends_at <= ${now} - 60000 OR (is_settled = 1 AND until <= ${now}) RETURNING id`,
      values: [],
    },
    {
      text: `DELETE FROM ${table('ledger_windows')} WHERE ends_at <= ${now} - 60000 RETURNING period`,
      values: [],
    },
  ]
}

/** Rounds a time up to a whole number that databases can store. */
function toTime(time: number): number {
  return Math.min(Math.ceil(time), Number.MAX_SAFE_INTEGER)
}
