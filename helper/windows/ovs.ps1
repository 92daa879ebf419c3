# Open vSwitch, as a service or in the pod of its agent, over the pipe of ovsdb-server. If no pipe can be opened, ovs-vsctl is used,
# which is on the host only if OVS is a service.

# Antrea's script and the installer of OVS set OVS_RUNDIR if it is not the default.
function Get-OvsRunFolder {
    $set = Get-MachineVariable -Name OVS_RUNDIR
    if (-not [string]::IsNullOrEmpty($set)) { $set.TrimEnd('\', '/') }
    'C:\openvswitch\var\run\openvswitch'
    'C:\ProgramData\openvswitch'
}

# The name of the pipe is the path of the socket without slashes. A path without a drive is below the run folder.
function Get-OvsPipe {
    param([Parameter(Mandatory = $true)][string]$Socket)
    $paths = @($Socket)
    if ($Socket -notmatch ':') { $paths = @(Get-OvsRunFolder | ForEach-Object -Process { "$_\$Socket" }) }
    foreach ($path in $paths) { '\\.\pipe\' + ($path -replace '[\\/]', '') }
}

# Where ovsdb-server is configured to listen: the command lines of its service, and of its process in a pod.
function Get-OvsServerSocket {
    $lines = @(
        Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq 'ovsdb-server' } | ForEach-Object -Process { $_.PathName }
        Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { $_.Name -eq 'ovsdb-server.exe' } | ForEach-Object -Process { $_.CommandLine }
    )
    foreach ($line in $lines) {
        foreach ($match in [regex]::Matches([string]$line, '"--remote=punix:([^"]+)"|--remote=punix:"([^"]+)"|--remote=punix:([^\s"]+)')) {
            $match.Groups[1].Value + $match.Groups[2].Value + $match.Groups[3].Value
        }
    }
}

# A stream to the database; nothing if there is only ovs-vsctl; an error if there is neither.
function Open-OvsDatabase {
    $failures = New-Object -TypeName System.Collections.Generic.List[object]
    $pipes = @(Get-OvsPipe -Socket 'db.sock')
    $stream = Open-FirstPipe -Paths $pipes -Failures $failures
    if ($null -eq $stream) {
        # Reading command lines takes a second, and mostly adds nothing.
        $told = @(Get-OvsServerSocket | ForEach-Object -Process { Get-OvsPipe -Socket $_ } | Where-Object -FilterScript { $pipes -notcontains $_ })
        $pipes += $told
        $stream = Open-FirstPipe -Paths $told -Failures $failures
    }
    if ($null -ne $stream) { return $stream }
    if ($null -ne (Find-OvsProgram)) { return }
    if ($failures.Count -gt 0) { throw $failures[0] }
    throw (New-OvsMissingError -Tried $pipes)
}

function Open-FirstPipe {
    param(
        [Parameter(Mandatory = $true)][AllowEmptyCollection()][string[]]$Paths,
        [Parameter(Mandatory = $true)][AllowEmptyCollection()][System.Collections.Generic.List[object]]$Failures
    )
    foreach ($path in $Paths) {
        try {
            $stream = Open-Pipe -Path $path -TimeoutMs 2000
            if ($null -ne $stream) { return $stream }
        } catch {
            $Failures.Add($_)
        }
    }
}

# Distinguishes OVS that is stopped from OVS that is not installed.
function New-OvsMissingError {
    param([Parameter(Mandatory = $true)][string[]]$Tried)
    if (@(Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { $_.Name -eq 'ovsdb-server.exe' }).Count -gt 0) {
        return New-HelperError -Kind Failed -Message "ovsdb-server is running, but none of its pipes exists: $([string]::Join(', ', $Tried))"
    }
    $service = @(Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq 'ovsdb-server' })
    if ($service.Count -gt 0 -or [System.IO.File]::Exists((Get-HostPath -Path (Get-OvsDatabasePath)))) {
        return New-HelperError -Kind Failed -Message 'ovsdb-server is not running: its database cannot be read'
    }
    New-HelperError -Kind NotInstalled -Message 'ovs-vsctl.exe was not found'
}

function Get-OvsDatabasePath {
    $told = @((Get-OvsPlace).Databases)
    if ($told.Count -gt 0) { return $told[0] }
    'C:\openvswitch\etc\openvswitch\conf.db'
}

function Find-OvsProgram {
    param([ValidateSet('ovs-vsctl.exe', 'ovs-ofctl.exe')][string]$Name = 'ovs-vsctl.exe')
    foreach ($folder in @('C:\openvswitch\usr\bin', 'C:\Program Files\Open vSwitch\bin', 'C:\Program Files\Cloudbase Solutions\Open vSwitch\bin')) {
        $program = Get-HostPath -Path "$folder\$Name"
        if (Test-Path -LiteralPath $program -PathType Leaf) { return $program }
    }
    # Last, because listing services takes a second.
    foreach ($folder in (Get-OvsPlace).Programs) {
        $program = Get-HostPath -Path "$folder\$Name"
        if (Test-Path -LiteralPath $program -PathType Leaf) { return $program }
    }
}

# --no-wait: ovs-vswitchd may be stopped, which is often the problem.
function Invoke-OvsVsctl {
    param([Parameter(Mandatory = $true)][string[]]$Arguments)
    $call = @{
        Path      = Find-OvsProgram
        Arguments = @('--timeout=5', '--no-wait') + $Arguments
        Encoding  = New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false
    }
    Invoke-NativeChecked @call
}

# Each table as JSON text, read in one transaction so that they are consistent.
function Read-OvsTable {
    param([Parameter(Mandatory = $true)][ValidateSet('Open_vSwitch', 'Bridge', 'Port', 'Interface')][string[]]$Names)
    $stream = Open-OvsDatabase
    if ($null -eq $stream) { return Read-OvsVsctlTable -Names $Names }
    try {
        $operations = @(foreach ($name in $Names) { [pscustomobject]@{ op = 'select'; table = $name; where = @() } })
        foreach ($result in @(Invoke-OvsdbTransaction -Stream $stream -Operations $operations)) { ConvertTo-OvsTable -Rows @($result.rows) }
    } finally {
        $stream.Dispose()
    }
}

function Read-OvsVsctlTable {
    param([Parameter(Mandatory = $true)][string[]]$Names)
    $arguments = @('--format=json')
    foreach ($name in $Names) { $arguments += @('--', 'list', $name) }
    $lines = @((Invoke-OvsVsctl -Arguments $arguments) -split '\r?\n' | Where-Object -FilterScript { $_ -ne '' })
    if ($lines.Count -ne $Names.Count) {
        throw (New-HelperError -Kind Failed -Message "ovs-vsctl printed $($lines.Count) tables, expected $($Names.Count).")
    }
    $lines
}

# The rows of a table, with cells in the format of OVS: an atom, ["uuid",...], ["set",[...]] or ["map",[[key,value],...]].
function ConvertFrom-OvsTable {
    param([Parameter(Mandatory = $true)][string]$Json)
    $table = ConvertFrom-Json -InputObject $Json
    $headings = @($table.headings)
    foreach ($data in $table.data) {
        $row = [ordered]@{}
        for ($i = 0; $i -lt $headings.Count; $i++) { $row[$headings[$i]] = $data[$i] }
        [pscustomobject]$row
    }
}

# The ids in a cell that refers to rows, or in the _uuid of a row.
function Get-OvsReference {
    param([AllowNull()][object]$Cell)
    if ($Cell -isnot [System.Array]) { return }
    if ([string]$Cell[0] -ceq 'uuid') { return [string]$Cell[1] }
    if ([string]$Cell[0] -ceq 'set') { foreach ($member in $Cell[1]) { Get-OvsReference -Cell $member } }
}
