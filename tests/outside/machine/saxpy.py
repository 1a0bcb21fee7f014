"""Executes saxpy on arrays, counts it, and shows a fault: saxpy.py kernels.cubin"""

import sys
from array import array  # numpy's do as well

import cugate

machine = cugate.Machine("h200", steps=10**6)
saxpy = machine.load(sys.argv[1])["saxpy"]
n = 1000
x, y = array("f", range(n)), array("f", [1] * n)

counts = saxpy[4, 256](x, y, 2.0, n)
assert list(y) == [2 * i + 1 for i in range(n)]
for (file, line), tally in counts.lines.items():
    print(f"{file}:{line}: {tally.executed} instructions, {tally.sectors} sectors")

stores = []
machine.hook("access", lambda event: stores.append(event) if event.writes else None)
saxpy[1, 32](x, y, 2.0, 32)
print(f"{stores[0].instruction.opcode} stores {array('f', stores[0].values[3])[0]} from lane 3")

try:
    saxpy[4, 256](x, y, 2.0, n + 1)
except cugate.Fault as fault:
    print(f"{fault.kind}: {fault.instruction.file}:{fault.instruction.line}, block {fault.block}: {fault}")
