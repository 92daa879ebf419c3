# The number of flows of each bridge: a bridge without flows drops all packets.

function Get-OvsFlowSection {
    $bridges = @(ConvertFrom-OvsTable -Json @(Read-OvsTable -Names @('Bridge'))[0] | ForEach-Object -Process { [string]$_.name })
    foreach ($bridge in $bridges) {
        try {
            $tables = @(Get-BridgeFlow -Bridge $bridge)
            $sum = 0
            foreach ($table in $tables) { $sum += $table.Flows }
            [pscustomobject]@{ Bridge = $bridge; Flows = $sum; Tables = $tables }
        } catch {
            # If ovs-vswitchd does not run, the flows cannot be counted, which differs from no flows.
            [pscustomobject]@{ Bridge = $bridge; Error = (ConvertTo-ErrorObject -ErrorRecord $_).message }
        }
    }
}

# Over the management pipe of the bridge, which exists while ovs-vswitchd runs; otherwise with ovs-ofctl.
function Get-BridgeFlow {
    param([Parameter(Mandatory = $true)][string]$Bridge)
    if ($Bridge -notmatch '^[^\x00-\x1F\\/:*?"<>|]{1,256}\z') { throw (New-HelperError -Kind Failed -Message 'The name of the bridge is not valid for a pipe.') }
    $pipes = @(Get-OvsPipe -Socket "$Bridge.mgmt")
    $failures = New-Object -TypeName System.Collections.Generic.List[object]
    $stream = Open-FirstPipe -Paths $pipes -Failures $failures
    if ($null -ne $stream) {
        try { return Get-OpenFlowTable -Stream $stream } finally { $stream.Dispose() }
    }
    $program = Find-OvsProgram -Name ovs-ofctl.exe
    if ($null -ne $program) { return ConvertFrom-FlowText -Text (Invoke-OvsOfctl -Program $program -Bridge $Bridge) }
    if ($failures.Count -gt 0) { throw $failures[0] }
    throw (New-HelperError -Kind Failed -Message "ovs-vswitchd has no management pipe for the bridge: $([string]::Join(', ', $pipes))")
}

function Invoke-OvsOfctl {
    param([Parameter(Mandatory = $true)][string]$Program, [Parameter(Mandatory = $true)][string]$Bridge)
    $call = @{
        Path      = $Program
        Arguments = @('--timeout=5', '--protocols=OpenFlow10,OpenFlow11,OpenFlow12,OpenFlow13,OpenFlow14,OpenFlow15', 'dump-flows', $Bridge)
        Encoding  = New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false
    }
    Invoke-NativeChecked @call
}

# " cookie=0x0, duration=7.5s, table=0, n_packets=0, ..., priority=0 actions=NORMAL", one per line.
function ConvertFrom-FlowText {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Text)
    $tables = @([regex]::Matches($Text, '(?m)^ cookie=[^\r\n]*?\btable=(\d+)') | ForEach-Object -Process { [int]$_.Groups[1].Value })
    foreach ($table in @($tables | Sort-Object -Unique)) {
        [pscustomobject]@{ Table = $table; Flows = @($tables | Where-Object -FilterScript { $_ -eq $table }).Count }
    }
}
