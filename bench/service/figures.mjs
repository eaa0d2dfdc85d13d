export function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[Math.floor((numbers.length - 1) / 2)];
}

export function range(numbers) {
  return `(${Math.min(...numbers).toFixed(0)} to ${Math.max(...numbers).toFixed(0)})`;
}
