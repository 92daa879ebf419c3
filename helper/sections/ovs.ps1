# Open vSwitch: four tables exactly as ovs-vsctl prints them.

function Get-OvsSection {
    $version = ''
    if ((Invoke-OvsVsctl -Arguments @('--version')) -match '\)\s+(\d+[\w.-]*)') { $version = $Matches[1] }
    $names = @('Open_vSwitch', 'Bridge', 'Port', 'Interface')
    $tables = @(Read-OvsTable -Names $names)
    $parts = for ($i = 0; $i -lt $names.Count; $i++) { '"{0}":{1}' -f $names[$i], $tables[$i] }
    $paths = ConvertTo-JsonText -Value ([pscustomobject]@{
            Version = $version
            DbPath  = Join-OvsPath -Folder etc -Name conf.db
            RunDir  = Get-OvsRunFolder
        })
    New-RawJson -Text ($paths.TrimEnd('}') + ',"Tables":{' + [string]::Join(',', $parts) + '}}')
}

function Join-OvsPath {
    param([Parameter(Mandatory = $true)][string]$Folder, [string]$Name)
    $root = 'C:\openvswitch'
    $path = "$root\$Folder\openvswitch"
    if ($Name -ne '') { $path = "$path\$Name" }
    $path
}

# Antrea's script sets OVS_RUNDIR for the machine when it is not the default.
function Get-OvsRunFolder {
    $set = [System.Environment]::GetEnvironmentVariable('OVS_RUNDIR', 'Machine')
    if ([string]::IsNullOrEmpty($set)) { return Join-OvsPath -Folder 'var\run' }
    $set
}
