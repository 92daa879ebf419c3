# Open vSwitch: everything goes through ovs-vsctl, with its own time limit, and comes back as JSON.

function Get-OvsProgram {
    $known = @(
        'C:\openvswitch\usr\bin\ovs-vsctl.exe'
        'C:\Program Files\Open vSwitch\bin\ovs-vsctl.exe'
        'C:\Program Files\Cloudbase Solutions\Open vSwitch\bin\ovs-vsctl.exe'
    )
    foreach ($path in $known) {
        $program = Get-HostPath -Path $path
        if (Test-Path -LiteralPath $program -PathType Leaf) { return $program }
    }
    throw (New-HelperError -Kind NotInstalled -Message 'ovs-vsctl.exe was not found')
}

# --no-wait: ovs-vswitchd may be down, which is often the very fault.
function Invoke-OvsVsctl {
    param([Parameter(Mandatory = $true)][string[]]$Arguments)
    $call = @{
        Path      = Get-OvsProgram
        Arguments = @('--timeout=5', '--no-wait') + $Arguments
        Encoding  = New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false
    }
    Invoke-NativeChecked @call
}

# Tables as JSON, one line each, read in one transaction so that they fit together.
function Read-OvsTable {
    param([Parameter(Mandatory = $true)][ValidateSet('Open_vSwitch', 'Bridge', 'Port', 'Interface')][string[]]$Names)
    $arguments = @('--format=json')
    foreach ($name in $Names) { $arguments += @('--', 'list', $name) }
    $lines = @((Invoke-OvsVsctl -Arguments $arguments) -split '\r?\n' | Where-Object -FilterScript { $_ -ne '' })
    if ($lines.Count -ne $Names.Count) {
        throw (New-HelperError -Kind Failed -Message "ovs-vsctl printed $($lines.Count) tables where $($Names.Count) were asked for.")
    }
    $lines
}

# A table as objects: a uuid or one value as it is, a set as a list, a map as a dictionary.
function ConvertFrom-OvsTable {
    param([Parameter(Mandatory = $true)][string]$Json)
    $table = ConvertFrom-Json -InputObject $Json
    $headings = @($table.headings)
    foreach ($data in $table.data) {
        $row = [ordered]@{}
        for ($i = 0; $i -lt $headings.Count; $i++) { $row[$headings[$i]] = ConvertFrom-OvsValue -Value $data[$i] }
        [pscustomobject]$row
    }
}

function ConvertFrom-OvsValue {
    param([AllowNull()][object]$Value)
    if ($Value -isnot [System.Array]) { return $Value }
    switch -CaseSensitive ([string]$Value[0]) {
        'uuid' { return [string]$Value[1] }
        'set' { return , @(foreach ($member in $Value[1]) { ConvertFrom-OvsValue -Value $member }) }
        'map' {
            $map = [ordered]@{}
            foreach ($pair in $Value[1]) { $map[[string]$pair[0]] = ConvertFrom-OvsValue -Value $pair[1] }
            return $map
        }
    }
}
