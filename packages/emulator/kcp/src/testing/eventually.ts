/** Tries until it does not throw any more; throws what it threw last when the time is over. */
export async function eventually(attempt: () => Promise<void>, timeoutMs = 5_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
  }
}
