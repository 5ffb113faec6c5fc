// Amounts as people say them: "1 session", "2 sessions", "3 processes".

export function amount(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
